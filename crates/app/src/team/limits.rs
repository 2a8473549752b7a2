//! What people and projects may use in thirty days (TEA-10).

use plimsoll_store::{MonthlyLimits, Person, PersonUse, TeamUse};
use plimsoll_tokens::{commas, dollars};

use crate::{App, AppError, Sent};

impl App {
    /// Whether somebody has used all that they may, or a project all that may be used there; then
    /// what is said about it. What is under way counts once it has ended.
    pub async fn team_limit(
        &self,
        person: &Person,
        project: &str,
    ) -> Result<Option<String>, AppError> {
        let now = self.clock.now();
        if person.limits != MonthlyLimits::default() {
            let used = self.store.used_by_person(&person.name, now).await?;
            if let Some(words) = reached(person.limits, &used) {
                return Ok(Some(format!("you {words}; ask whoever looks after the team for more")));
            }
        }
        let limits = self.store.project(project).await?.map(|project| project.limits);
        let Some(limits) = limits.filter(|limits| *limits != MonthlyLimits::default()) else {
            return Ok(None);
        };
        let used = self.store.used_in_project(project, now).await?;
        Ok(reached(limits, &used)
            .map(|words| format!("the project {project} {words}; ask for more, or use another")))
    }

    /// Counts what a send used, for whoever sent it.
    pub async fn count_sent(
        &self,
        person: &str,
        project: &str,
        sent: &Sent,
    ) -> Result<(), AppError> {
        let record = self.store.receipt(sent.receipt.id).await?;
        let usage = record.usage.map(|usage| usage.prompt.saturating_add(usage.completion));
        let used = PersonUse {
            person: person.to_owned(),
            project: project.to_owned(),
            at: self.clock.now(),
            // What was read and not reported counts by its estimate, as for programs.
            tokens: usage.unwrap_or(match record.stage.as_str() {
                "success" | "cancelled" => record.estimate,
                _ => 0,
            }),
            cost: record.cost.unwrap_or(0.0),
        };
        Ok(self.store.count_use(&[used]).await?)
    }
}

/// What is said of a limit that is reached.
fn reached(limits: MonthlyLimits, used: &TeamUse) -> Option<String> {
    if let Some(most) = limits.tokens.filter(|most| used.tokens >= *most) {
        let (used, most) = (commas(used.tokens), commas(most));
        return Some(format!("used {used} of {most} tokens in thirty days"));
    }
    let most = limits.cost.filter(|most| used.cost >= *most)?;
    Some(format!("used {} of {} in thirty days", dollars(used.cost), dollars(most)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tea_10_a_limit_is_reached_when_all_of_it_is_used() {
        let used = |tokens, cost| TeamUse { tokens, cost, ..TeamUse::default() };
        let limits = |tokens, cost| MonthlyLimits { tokens, cost };
        assert_eq!(reached(limits(None, None), &used(u64::MAX, 1e9)), None);
        assert_eq!(reached(limits(Some(10), None), &used(9, 1e9)), None);
        assert!(reached(limits(Some(10), None), &used(10, 0.0)).is_some());
        assert!(reached(limits(Some(10), Some(1.5)), &used(1, 1.5)).is_some());
        assert_eq!(reached(limits(Some(10), Some(1.5)), &used(1, 1.4)), None);
    }
}
