//! The people of a team: who they are, how they sign in, and what they may do in which project
//! (TEA-9). One person on one machine has none of this.

use plimsoll_domain::Timestamp;

use crate::{
    Workspace,
    sql::people::{leaving, persons, projects, tokens},
};

/// What somebody may do in a project, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Reads.
    Viewer,
    /// Reads, writes and sends.
    Member,
    /// All of that, and says who else may.
    Owner,
}

impl Role {
    /// All roles, the least first.
    pub const ALL: [Self; 3] = [Self::Viewer, Self::Member, Self::Owner];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Member => "member",
            Self::Owner => "owner",
        }
    }

    /// The role that a word names.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }
}

/// What may be used in thirty days; what is none is not limited.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MonthlyLimits {
    /// Tokens, read and written.
    pub tokens: Option<u64>,
    /// In US dollars.
    pub cost: Option<f64>,
}

/// Somebody of the team.
#[derive(Clone, Debug, PartialEq)]
pub struct Person {
    /// What they are called; see [`is_person_name`].
    pub name: String,
    /// When they were added.
    pub created_at: Timestamp,
    /// Whether they look after the team: its people, settings and keys.
    pub admin: bool,
    /// Their address, where it is known.
    pub email: Option<String>,
    /// Who they are at the provider of identities, where they come by one: its address, a blank,
    /// and the name that it knows them by.
    pub subject: Option<String>,
    /// What they may use.
    pub limits: MonthlyLimits,
}

impl Person {
    /// The project that is theirs alone.
    pub fn own_project(&self) -> String {
        own_project(&self.name)
    }
}

/// The project that belongs to a person of this name alone.
pub fn own_project(person: &str) -> String {
    format!("~{person}")
}

/// Whether somebody can be called so: up to 64 small letters, digits, `.`, `-` and `_` of ASCII,
/// a letter or a digit first. So a name can stand in an address, in a path and on a command line.
pub fn is_person_name(name: &str) -> bool {
    let first = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let good = |byte: u8| first(byte) || matches!(byte, b'.' | b'-' | b'_');
    name.len() <= 64 && name.bytes().next().is_some_and(first) && name.bytes().all(good)
}

/// Whether people may call a project so. Those that begin with `~` belong to one person.
pub fn is_project_name(name: &str) -> bool {
    let good = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.');
    !name.is_empty() && name.len() <= 64 && !name.starts_with('.') && name.chars().all(good)
}

/// The part of a workspace before the slash (HIS-6), as a team knows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Project {
    /// What it is called.
    pub name: String,
    /// When it was added.
    pub created_at: Timestamp,
    /// What may be used in it.
    pub limits: MonthlyLimits,
}

/// What a person may do in a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectRole {
    /// Where.
    pub project: String,
    /// Who.
    pub person: String,
    /// What.
    pub role: Role,
}

/// A token that says who somebody is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonToken {
    /// Whose it is.
    pub person: String,
    /// What it is known by, since the token itself is not kept.
    pub label: String,
    /// The hash of it.
    pub hash: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it ends, if it does.
    pub expires_at: Option<Timestamp>,
}

/// A browser that somebody signed in with, until it ends or they sign out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignIn {
    /// The hash of what its cookie holds.
    pub hash: String,
    /// Who signed in.
    pub person: String,
    /// When.
    pub created_at: Timestamp,
    /// When it ends.
    pub expires_at: Timestamp,
}

/// Somebody who is known by a token or a cookie, with all that they may do.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownPerson {
    /// Who.
    pub person: Person,
    /// Their roles, by project.
    pub roles: Vec<(String, Role)>,
}

impl KnownPerson {
    /// Their role in a project, if they have one.
    pub fn role_in(&self, project: &str) -> Option<Role> {
        self.roles.iter().find(|(name, _)| name == project).map(|(_, role)| *role)
    }
}

/// What is there of somebody who is about to leave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Leaving {
    /// Projects, besides their own, where nobody else is an owner.
    pub last_owner_of: Vec<String>,
    /// The workspaces of their own project.
    pub workspaces: Vec<Workspace>,
    /// Pairs in those.
    pub pairs: u64,
    /// Files in those.
    pub files: u64,
    /// Notes in those.
    pub notes: u64,
}

jobs! {
    pub trait People {
        /// Adds somebody together with a project of their own; says whether both names were free.
        write add_person(person: &Person) -> bool = persons::add;

        /// Somebody by name.
        read person(name: &str) -> Option<Person> = persons::one;

        /// Everybody, by name.
        read people() -> Vec<Person> = persons::all;

        /// Somebody by who they are at the provider of identities.
        read person_by_subject(subject: &str) -> Option<Person> = persons::by_subject;

        /// Says whether somebody looks after the team; false if there is no such person.
        write put_admin(name: &str, admin: bool) -> bool = persons::put_admin;

        /// Says what somebody may use; false if there is no such person.
        write put_person_limits(name: &str, limits: &MonthlyLimits) -> bool = persons::put_limits;

        /// Takes somebody away with their tokens, sign-ins, roles and keys; false if there is no
        /// such person. Projects stay, and so does what was noted about them.
        write remove_person(name: &str) -> bool = persons::remove;

        /// What is there of somebody; none if there is no such person.
        read leaving(name: &str) -> Option<Leaving> = leaving::leaving;

        /// Takes somebody away, and makes somebody else an owner of their own project and of those
        /// where nobody else is one.
        write hand_over_person(name: &str, to: &str) -> () = leaving::hand_over;

        /// Takes somebody away with their own project and all that it holds, so that nothing can
        /// bring it back. Where a project would be left without an owner it is not done, and these
        /// are named.
        write_alone delete_person(name: &str) -> Vec<String> = leaving::delete;

        /// Adds a project; says whether its name was free.
        write add_project(project: &Project) -> bool = projects::add;

        /// A project by name.
        read project(name: &str) -> Option<Project> = projects::one;

        /// All projects, by name.
        read projects() -> Vec<Project> = projects::all;

        /// Says what may be used in a project; false if there is no such project.
        write put_project_limits(name: &str, limits: &MonthlyLimits) -> bool = projects::put_limits;

        /// Forgets a project with its roles and keys; false if there is none. What its workspaces
        /// hold is not touched.
        write remove_project(name: &str) -> bool = projects::remove;

        /// Gives somebody a role; refuses where there is no such person or project.
        write put_role(role: &ProjectRole) -> () = projects::put_role;

        /// Takes a role away; says whether there was one.
        write remove_role(project: &str, person: &str) -> bool = projects::remove_role;

        /// Who may do what in a project, by name.
        read roles_in(project: &str) -> Vec<ProjectRole> = projects::roles_in;

        /// What somebody may do, by project.
        read roles_of(person: &str) -> Vec<ProjectRole> = projects::roles_of;

        /// Keeps a token; false where its person has one with this label.
        write add_token(token: &PersonToken) -> bool = tokens::add;

        /// The tokens of a person, or all, by person and label.
        read tokens(person: Option<&str>) -> Vec<PersonToken> = tokens::all;

        /// Takes a token back; says whether there was one.
        write remove_token(person: &str, label: &str) -> bool = tokens::remove;

        /// Whose token this is, unless it has ended.
        read known_by_token(hash: &str, now: Timestamp) -> Option<KnownPerson> = tokens::known;

        /// Keeps a sign-in.
        write add_sign_in(sign_in: &SignIn) -> () = tokens::add_sign_in;

        /// Whose sign-in this is, unless it has ended.
        read known_by_sign_in(hash: &str, now: Timestamp) -> Option<KnownPerson>
            = tokens::known_by_sign_in;

        /// Ends a sign-in; says whether there was one.
        write end_sign_in(hash: &str) -> bool = tokens::end_sign_in;

        /// Ends all sign-ins of a person; says how many.
        write end_sign_ins_of(person: &str) -> u64 = tokens::end_sign_ins_of;

        /// Forgets sign-ins that have ended, at most so many; says how many.
        write forget_ended_sign_ins(now: Timestamp, most: u64) -> u64 = tokens::forget_ended;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tea_9_names_fit_where_names_stand() {
        for good in ["ann", "bob.b", "x-1_y", "0k"] {
            assert!(is_person_name(good), "{good}");
            assert!(crate::Workspace::parse(&format!("{}/main", own_project(good))).is_ok());
        }
        for bad in ["", "Ann", "~ann", ".a", "-a", "a/b", "a b", "é", "a\n", &"a".repeat(65)] {
            assert!(!is_person_name(bad), "{bad:?}");
        }
        for (name, good) in [("sea", true), ("Meer-2", true), ("~ann", false), (".x", false)] {
            assert_eq!(is_project_name(name), good, "{name}");
        }
    }

    #[test]
    fn tea_9_roles_have_one_word_each_and_an_order() {
        for role in Role::ALL {
            assert_eq!(Role::parse(role.name()), Some(role));
        }
        assert_eq!(Role::parse("admin"), None);
        assert!(Role::Viewer < Role::Member && Role::Member < Role::Owner);
    }
}
