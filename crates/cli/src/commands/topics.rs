//! `plimsoll topics`: the tree of topics.

use plimsoll_app::{AppError, NewTopic, find_topic};
use plimsoll_domain::{Topic, TopicTree};
use serde::Serialize;

use crate::{
    args::{Location, TopicsArgs, TopicsCommand},
    context::Context,
    failure::Failure,
    machine,
    output::{Output, printable},
};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    id: String,
    path: String,
    system_message: Option<String>,
    default_model: Option<String>,
    max_output: Option<u64>,
}

pub(crate) fn run(
    args: &TopicsArgs,
    location: &Location,
    output: &mut Output,
) -> Result<u8, Failure> {
    let context = Context::load()?;
    machine::block_on(async {
        let opened = machine::open(context, location).await?;
        let app = &opened.app;
        match &args.command {
            Some(TopicsCommand::Add { path, system, model }) => {
                let new = NewTopic {
                    path: path.clone(),
                    system_message: system.clone(),
                    default_model: model.clone(),
                };
                app.add_topic(&location.workspace, &new).await?;
            }
            Some(TopicsCommand::Rm { path, with_pairs }) => {
                let topics = app.store().topics(&location.workspace).await?;
                let unknown = || AppError::UnknownTopic(path.clone());
                let id = find_topic(&topics, path).ok_or_else(unknown)?.id;
                match with_pairs {
                    true => drop(app.delete_conversation(&location.workspace, id).await?),
                    false => app.remove_topic(&location.workspace, id).await.map(drop)?,
                }
            }
            None => {}
        }
        app.open_workspace(&location.workspace).await?;
        let topics = app.store().topics(&location.workspace).await?;
        print(&topics, args.json, output)?;
        Ok(0)
    })
}

fn print(topics: &[Topic], json: bool, output: &mut Output) -> Result<(), Failure> {
    let mut tree = TopicTree::default();
    for topic in topics {
        tree.add(topic.clone()).map_err(|error| Failure::failed(error.to_string()))?;
    }
    let row = |topic: &Topic| Row {
        id: topic.id.to_string(),
        path: tree.path(topic.id).unwrap_or_default(),
        system_message: topic.system_message.clone(),
        default_model: topic.default_model.clone(),
        max_output: topic.max_output,
    };
    let rows: Vec<Row> = topics.iter().map(row).collect();
    if json {
        return output.json(&serde_json::json!({ "topics": rows }));
    }
    for row in &rows {
        let model = row.default_model.as_deref().unwrap_or("");
        let mark = if row.system_message.is_some() { "system message" } else { "" };
        let line = format!("{:<40} {model:<20} {mark}", printable(&row.path));
        output.text(line.trim_end())?;
        output.text("\n")?;
    }
    Ok(())
}
