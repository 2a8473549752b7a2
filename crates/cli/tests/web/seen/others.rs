//! What somebody else changes between the look and the send.

use serde_json::{Value, json};

use super::client::Client;

fn id_of(pair: &Value) -> String {
    pair["id"].as_str().unwrap().to_owned()
}

impl Client {
    fn any(&mut self, pairs: &[Value]) -> Option<Value> {
        (!pairs.is_empty()).then(|| pairs[self.below(pairs.len())].clone())
    }

    fn change(&self, method: &str, path: &str, body: Value) {
        self.served.json(method, path, Some(body));
    }

    /// Somebody changes something; what it was, or nothing.
    pub(super) fn interfere(&mut self) -> Option<&'static str> {
        let mut pairs = self.pairs.clone();
        let number = self.step;
        match self.below(36) {
            0..=1 => {
                let id = id_of(&self.any(&pairs)?);
                let text = json!({ "userText": format!("edited {number}") });
                self.change("PATCH", &format!("/api/pairs/{id}"), text);
                Some("edit of a question")
            }
            2 => {
                pairs.retain(|pair| pair["assistantText"].as_str().is_some());
                let id = id_of(&self.any(&pairs)?);
                let text = json!({ "assistantText": format!("other answer {number}") });
                self.change("PATCH", &format!("/api/pairs/{id}"), text);
                Some("edit of an answer")
            }
            3 => {
                let id = id_of(&self.any(&pairs)?);
                self.served.json("DELETE", &format!("/api/pairs/{id}"), None);
                Some("deletion")
            }
            4 => {
                let all = self.served.json("GET", "/api/deletions", None);
                let token = all["deletions"].as_array().unwrap().first().map(id_of)?;
                self.change("POST", "/api/undo", json!({ "token": token }));
                Some("undo")
            }
            5..=6 => {
                let filter = ["", "", "r2", "o", "!o", "d<1h", "r5"][self.below(7)];
                self.change("PUT", "/api/view", json!({ "filter": filter }));
                Some("filter")
            }
            7..=8 => {
                let from = ["end", ""][self.below(2)];
                self.change("PUT", "/api/view", json!({ "contextFrom": from }));
                Some("mark")
            }
            9 => {
                let value = json!({ "value": (50 + self.below(200)).to_string() });
                self.change("PUT", "/api/settings/userRequestAllowance", value);
                Some("allowance")
            }
            10..=11 => {
                let model = ["test", "small"][self.below(2)];
                self.change("PUT", "/api/view", json!({ "model": model }));
                Some("model")
            }
            12 => {
                // An export does not tell of earlier answers; a page of the list does.
                let page = self.served.json("GET", "/api/pairs?from=0&limit=200", None);
                let mut listed = page["pairs"].as_array().unwrap().clone();
                listed.retain(|pair| pair["previousAnswer"].is_string());
                let id = id_of(&self.any(&listed)?);
                self.served.json("POST", &format!("/api/pairs/{id}/swap"), None);
                Some("swap")
            }
            13..=14 => {
                let text = (self.below(3) > 0).then(|| format!("Be {number}."));
                let path = format!("/api/topics/{}", self.topic);
                self.change("PATCH", &path, json!({ "systemMessage": text }));
                Some("system message")
            }
            15 => {
                let value = ["on", "off"][self.below(2)];
                self.change("PUT", "/api/settings/sendErrorPairs", json!({ "value": value }));
                Some("error pairs")
            }
            16 => {
                self.bring(&format!("name=l{number}.txt&listed=true"), &format!("listed {number}"));
                Some("file")
            }
            17 => {
                let all = self.served.json("GET", "/api/files", None);
                let id = id_of(&self.any(all["files"].as_array().unwrap())?);
                self.served.json("DELETE", &format!("/api/files/{id}"), None);
                Some("file deleted")
            }
            18 => {
                let on = self.below(3) > 0;
                self.change("PUT", "/api/files/section", json!({ "on": on }));
                Some("files section")
            }
            19 if number.is_multiple_of(3) => {
                self.import();
                Some("import")
            }
            _ => None,
        }
    }

    fn import(&self) {
        let (question, answer) = (format!("in {}", self.step), format!("out {}", self.step));
        let line = json!({"messages": [
            {"role": "user", "content": question}, {"role": "assistant", "content": answer}
        ]});
        let home = self.served.home();
        let file = home.join(format!("import-{}.jsonl", self.step));
        std::fs::write(&file, format!("{line}\n")).unwrap();
        let done = std::process::Command::new(env!("CARGO_BIN_EXE_plimsoll"))
            .arg("import")
            .arg(&file)
            .env("PLIMSOLL_CONFIG_DIR", home)
            .env("PLIMSOLL_DATA_DIR", home.join("data"))
            .envs(crate::served::store::variables(&home.join("data")))
            .output()
            .unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }
}
