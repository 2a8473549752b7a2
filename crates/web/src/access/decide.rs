//! The one place that says who may do what (TEA-9): a person, a project and an action in, yes or
//! why not out. It knows no request and no store.

use plimsoll_store::{KnownPerson, Role};

/// What somebody wants to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Action {
    /// What everybody does who has signed in: look at the list of models, see who they are.
    BeHere,
    /// Look at what a project holds.
    Read,
    /// Change what it holds: labels, texts, files, notes.
    Write,
    /// Ask a model, and pay for it.
    Send,
    /// Take in files of the server's own folders.
    ServerFolders,
    /// Say who else may do what in a project, and see what they used there.
    ManageProject,
    /// Look after everybody: people, settings, keys of providers, numbers of all workspaces.
    ManageTeam,
}

impl Action {
    /// All actions.
    #[cfg(test)]
    pub(crate) const ALL: [Self; 7] = [
        Self::BeHere,
        Self::Read,
        Self::Write,
        Self::Send,
        Self::ServerFolders,
        Self::ManageProject,
        Self::ManageTeam,
    ];
}

/// Why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Denied {
    /// Somebody without a role in a project is not told whether there is one of that name.
    Hidden,
    /// They know of it, and may not; what is missing, in words.
    Lacking(&'static str),
}

/// Decides. Actions on the team as a whole need no project; all others are refused without one.
pub(crate) fn decide(
    person: &KnownPerson,
    project: Option<&str>,
    action: Action,
) -> Result<(), Denied> {
    let admin = person.person.admin;
    let role = project.and_then(|project| person.role_in(project));
    let at_least = |least: Role, words: &'static str| match role {
        None => Err(Denied::Hidden),
        Some(role) if role >= least => Ok(()),
        Some(_) => Err(Denied::Lacking(words)),
    };
    match action {
        Action::BeHere => Ok(()),
        Action::Read => at_least(Role::Viewer, ""),
        Action::Write => at_least(Role::Member, "viewers of a project read it and change nothing"),
        Action::Send => at_least(Role::Member, "viewers of a project read it and send nothing"),
        Action::ServerFolders => {
            at_least(Role::Member, "viewers of a project read it and change nothing")?;
            needs(admin, "only who looks after the team names files of the server")
        }
        // Who looks after the team gives the first role of a project, to themselves too: that is
        // noted, whereas to look into it unseen is not theirs.
        Action::ManageProject if admin => Ok(()),
        Action::ManageProject => {
            at_least(Role::Owner, "only owners of a project say who may do what")
        }
        Action::ManageTeam => needs(admin, "only who looks after the team may do this"),
    }
}

fn needs(given: bool, words: &'static str) -> Result<(), Denied> {
    if given { Ok(()) } else { Err(Denied::Lacking(words)) }
}

#[cfg(test)]
pub(crate) mod tests {
    use plimsoll_domain::Timestamp;
    use plimsoll_store::{MonthlyLimits, Person};
    use proptest::prelude::*;

    use super::*;

    pub(crate) fn known(name: &str, admin: bool, roles: &[(&str, Role)]) -> KnownPerson {
        let person = Person {
            name: name.to_owned(),
            created_at: Timestamp::from_millis(0),
            admin,
            email: None,
            subject: None,
            limits: MonthlyLimits::default(),
        };
        let roles = roles.iter().map(|(project, role)| ((*project).to_owned(), *role)).collect();
        KnownPerson { person, roles }
    }

    /// Y may, n may not, h is not told.
    fn row(admin: bool, role: Option<Role>) -> String {
        let roles: Vec<(&str, Role)> = role.map(|role| ("sea", role)).into_iter().collect();
        let person = known("ann", admin, &roles);
        let letter = |action| match decide(&person, Some("sea"), action) {
            Ok(()) => 'Y',
            Err(Denied::Hidden) => 'h',
            Err(Denied::Lacking(words)) => {
                assert!(!words.is_empty());
                'n'
            }
        };
        Action::ALL.map(letter).iter().collect()
    }

    #[test]
    fn tea_9_the_table_of_roles_and_actions() {
        // BeHere, Read, Write, Send, ServerFolders, ManageProject, ManageTeam
        assert_eq!(row(false, None), "Yhhhhhn");
        assert_eq!(row(false, Some(Role::Viewer)), "YYnnnnn");
        assert_eq!(row(false, Some(Role::Member)), "YYYYnnn");
        assert_eq!(row(false, Some(Role::Owner)), "YYYYnYn");
        assert_eq!(row(true, None), "YhhhhYY");
        assert_eq!(row(true, Some(Role::Viewer)), "YYnnnYY");
        assert_eq!(row(true, Some(Role::Member)), "YYYYYYY");
    }

    proptest! {
        /// A role in one project never says anything about another, and more of a role never
        /// allows less.
        #[test]
        fn tea_9_roles_stay_in_their_project(admin: bool, first in 0usize..3, second in 0usize..3) {
            let (low, high) = (Role::ALL[first.min(second)], Role::ALL[first.max(second)]);
            let (less, more) = (known("a", admin, &[("sea", low)]), known("a", admin, &[("sea", high)]));
            let nothing = known("a", admin, &[]);
            for action in Action::ALL {
                for elsewhere in [Some("land"), Some("se"), Some("sea "), None] {
                    let without = decide(&nothing, elsewhere, action);
                    prop_assert_eq!(decide(&more, elsewhere, action), without);
                }
                if decide(&less, Some("sea"), action).is_ok() {
                    prop_assert!(decide(&more, Some("sea"), action).is_ok());
                }
            }
        }
    }
}
