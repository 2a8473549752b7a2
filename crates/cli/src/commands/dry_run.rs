//! `plimsoll send --dry-run`: what would be sent. A pipe gets the exact request, a terminal its
//! parts with what they weigh.

use std::io::IsTerminal;

use plimsoll_app::{App, Prepared, WorkspaceView};
use plimsoll_budget::OverBudget;
use plimsoll_send::{Plan, plan};
use plimsoll_tokens::commas;

use super::chat::Load;
use crate::{
    failure::{Failure, note},
    output::{Output, printable, wants_colours},
    plan_picture::{picture, row},
};

pub(crate) async fn show(
    app: &App,
    workspace_view: &mut WorkspaceView,
    prepared: &Prepared,
    policy: OverBudget,
    json: bool,
    output: &mut Output,
) -> Result<(), Failure> {
    if let Some(cost) = crate::words::cost(&prepared.plan) {
        note(&format!("it would cost {cost}"));
    }
    if json || !std::io::stdout().is_terminal() {
        output.text(prepared.exact_request(policy).shown())?;
        return output.text("\n");
    }
    let by_policy = plan(&prepared.plan.snapshot, policy);
    let topic = plimsoll_app::topic_path(workspace_view.topics(), workspace_view.topic().id);
    let line = Load::of(&by_policy, topic).draw(wants_colours());
    output.text(&picture(app, workspace_view, &by_policy, &line).await?)?;
    output.text(&parts(&by_policy, &prepared.text_for_people()))?;
    output.flush()?;
    match by_policy.left_out_first() {
        0 => {}
        1 => note("the oldest of these pairs would be left out, so that it fits"),
        many => {
            note(&format!("the {many} oldest of these pairs would be left out, so that it fits"))
        }
    }
    note("nothing was sent; --json, or a pipe, shows the exact request");
    Ok(())
}

/// The message, its files, and the whole.
fn parts(plan: &Plan, message: &str) -> String {
    let weights = plan.weights;
    let mut text = row(&commas(weights.message), &format!("message: {message}"), "");
    for one in &plan.attached {
        text.push_str(&row(&commas(one.tokens), &crate::words::attached_name(one), "  (in it)"));
    }
    let (section, tools) = plan.files_tokens();
    if section + tools > 0 {
        text.push_str(&row(&commas(section + tools), "list of files and their tools", ""));
    }
    text.push_str(&row(&commas(weights.history), "history that goes along", ""));
    text.push_str(&row(
        &commas(weights.total()),
        &format!("in all, of {} ({})", commas(weights.limit), printable(&plan.model().id)),
        "",
    ));
    text
}
