//! What a request weighs, part by part (GWY-6, EST-10): nothing that a model reads is left out, and
//! what cannot be known counts as the most that it may be.

use base64::{Engine, prelude::BASE64_STANDARD};
use plimsoll_tokens::{Estimator, ImagePricing, RawTokens, image_tokens};

use crate::reading::{ClientRequest, Content, Picture, Tool};

/// As much of a picture, in base64, as is looked at for its size. A multiple of four.
const LOOKED_AT: usize = 256 << 10;

/// How a model's tokens are counted.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    pub estimator: Estimator,
    /// What the chat format adds to each message.
    pub message_overhead: u64,
    pub pictures: ImagePricing,
}

/// The weight of a request, as it was counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Weight {
    /// What is said besides the conversation.
    pub instructions: RawTokens,
    /// Each tool that is offered.
    pub tools: Vec<u64>,
    /// Each item of the conversation.
    pub items: Vec<RawTokens>,
}

impl Weight {
    /// All of it.
    pub fn total(&self) -> RawTokens {
        self.items.iter().fold(self.fixed(), |sum, item| sum + *item)
    }

    /// What goes along whatever is left out.
    pub(crate) fn fixed(&self) -> RawTokens {
        self.tools.iter().fold(self.instructions, |sum, tool| sum + (*tool).into())
    }

    /// These items of the conversation.
    pub(crate) fn of(&self, items: &[usize]) -> RawTokens {
        items.iter().fold(RawTokens::ZERO, |sum, at| sum + self.item(*at))
    }

    pub(crate) fn item(&self, at: usize) -> RawTokens {
        self.items.get(at).copied().unwrap_or_default()
    }
}

impl Scale {
    /// Weighs a request.
    pub fn weigh(&self, request: &ClientRequest<'_>) -> Weight {
        let message = |content: &[Content<'_>]| {
            let text = content.iter().map(|part| self.content(part)).sum();
            RawTokens::message(text, self.message_overhead)
        };
        Weight {
            instructions: message(&request.instructions),
            tools: request.tools.iter().map(|tool| self.tool(tool)).collect(),
            items: request.items.iter().map(|item| message(&item.content)).collect(),
        }
    }

    /// A tool as the client wrote it, which is how its protocol writes it.
    fn tool(&self, tool: &Tool<'_>) -> u64 {
        self.estimator.count(tool.json)
    }

    fn content(&self, content: &Content<'_>) -> u64 {
        match content {
            Content::Text(text) => self.estimator.count(text),
            Content::Json(json) => self.estimator.count(json),
            Content::Picture(picture) => {
                let (width, height) = size(picture);
                image_tokens(self.pictures, width, height)
            }
        }
    }
}

/// The size of a picture in pixels; 0 where it cannot be told, which costs the most.
fn size(picture: &Picture<'_>) -> (u32, u32) {
    let Picture::Base64(text) = picture else { return (0, 0) };
    let beginning = text.as_bytes().get(..LOOKED_AT).unwrap_or(text.as_bytes());
    let size = BASE64_STANDARD.decode(beginning).ok();
    let size = size.and_then(|bytes| imagesize::blob_size(&bytes).ok());
    let side = |pixels: usize| u32::try_from(pixels).unwrap_or(u32::MAX);
    size.map_or((0, 0), |size| (side(size.width), side(size.height)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::{Protocol, read};

    const SCALE: Scale = Scale {
        estimator: Estimator::Bytes4,
        message_overhead: 4,
        pictures: ImagePricing::Anthropic,
    };

    /// The first bytes of a PNG of this size, in base64.
    fn png(width: u32, height: u32) -> String {
        let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
        bytes.extend(width.to_be_bytes());
        bytes.extend(height.to_be_bytes());
        bytes.extend([8, 6, 0, 0, 0]);
        BASE64_STANDARD.encode(bytes)
    }

    fn weight(protocol: Protocol, text: &str) -> Weight {
        SCALE.weigh(&read(protocol, text).unwrap())
    }

    /// LiteLLM#22301 counted 10 of 531: neither system nor tools.
    #[test]
    fn gwy_6_instructions_and_tools_are_weighed_too() {
        let long = "word ".repeat(40);
        let tool = format!(r#"{{"name":"f","description":"{long}"}}"#);
        let messages = format!(
            r#"{{"model":"m","system":"{long}","tools":[{tool},{tool}],"messages":[{{"role":"user","content":"hi"}}]}}"#
        );
        let weighed = weight(Protocol::Messages, &messages);
        assert_eq!(weighed.instructions, RawTokens { text: 50, overhead: 4 });
        assert_eq!(weighed.tools, [tool.len() as u64 / 4; 2]);
        assert_eq!(weighed.items, [RawTokens { text: 1, overhead: 4 }]);
        let fixed = weighed.fixed().total();
        assert_eq!(weighed.total().total(), fixed + 5);
    }

    /// LiteLLM#39910 took 85 tokens for 2,765; #36604 failed on the pictures of `/v1/messages`.
    #[test]
    fn gwy_6_a_picture_costs_what_its_size_costs() {
        let picture = |source: &str| {
            format!(
                r#"{{"model":"m","messages":[{{"role":"user","content":[{{"type":"image","source":{source}}}]}}]}}"#
            )
        };
        let inside = |data: &str| picture(&format!(r#"{{"type":"base64","data":"{data}"}}"#));
        let tokens = |text: &str| weight(Protocol::Messages, text).items[0].text;
        assert_eq!(tokens(&inside(&png(750, 100))), 100);
        assert_eq!(tokens(&inside(&png(1500, 1000))), 2000);
        // What is not known costs what the largest does, and never nothing.
        let most = image_tokens(ImagePricing::Anthropic, 0, 0);
        assert!(most > 3000);
        for unknown in
            [picture(r#"{"type":"url","url":"https://a.b/c.png"}"#), inside("%%"), inside("")]
        {
            assert_eq!(tokens(&unknown), most);
        }
        let chat = format!(
            r#"{{"model":"m","messages":[{{"role":"user","content":[{{"type":"image_url","image_url":{{"url":"data:image/png;base64,{}"}}}}]}}]}}"#,
            png(750, 100)
        );
        assert_eq!(weight(Protocol::Chat, &chat).items[0].text, 100);
    }

    #[test]
    fn gwy_6_what_nobody_knows_weighs_what_is_written_there() {
        let odd = r#"{"type":"strange","data":"0123456789abcdef"}"#;
        let text =
            format!(r#"{{"model":"m","input":[{odd},{{"role":"user","content":[{odd}]}}]}}"#);
        let weighed = weight(Protocol::Responses, &text);
        assert_eq!(
            weighed.items.iter().map(|item| item.text).collect::<Vec<_>>(),
            [odd.len() as u64 / 4; 2]
        );
    }
}
