//! What can be typed about a team.

use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

/// The people of a server that several use: who they are, what they may do, what they did
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll team user add ann --admin\n  \
    plimsoll team token add ann --label laptop --expires 90d\n  \
    plimsoll team user add cy --openid cy@example.org\n  \
    plimsoll team project add sea --owner ann\n  \
    plimsoll team role set sea bob member\n  \
    plimsoll team key set openai --project sea\n  \
    plimsoll team usage --by project --since 7d\n  \
    plimsoll team audit --since 1d\n\n\
    People sign in where `plimsoll serve --team` runs, with a token that is printed once and kept\n\
    as a hash, or by OpenID Connect. Each has a project of their own, ~NAME. docs/team.md tells the rest.")]
pub(crate) struct TeamArgs {
    #[command(subcommand)]
    pub(super) command: TeamCommand,
}

#[derive(Subcommand, Debug)]
pub(super) enum TeamCommand {
    /// Add, change or list people
    User {
        #[command(subcommand)]
        command: UserCommand,
    },
    /// Make, list or take back tokens
    Token {
        #[command(subcommand)]
        command: TokenCommand,
    },
    /// Add, change or list projects
    Project {
        #[command(subcommand)]
        command: ProjectCommand,
    },
    /// Say who may do what in a project
    Role {
        #[command(subcommand)]
        command: RoleCommand,
    },
    /// Keep keys of providers sealed in the store, for the team, a project or somebody
    #[command(alias = "keys")]
    Key {
        #[command(subcommand)]
        command: KeyCommand,
    },
    /// Make the key that other keys are sealed with
    Secret {
        #[command(subcommand)]
        command: SecretCommand,
    },
    /// List sign-ins, and what was done with keys, roles, exports and deletions
    Audit {
        /// How far back, such as 7d or 12h; else everything
        #[arg(long, value_name = "AGE", value_parser = parse_age)]
        since: Option<Duration>,
        /// At most so many
        #[arg(short = 'n', long, default_value_t = 200)]
        limit: u64,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Sum up what was used
    Usage {
        /// By whom, or where
        #[arg(long, value_enum, default_value = "person")]
        by: By,
        /// How far back, such as 7d
        #[arg(long, value_name = "AGE", default_value = "30d", value_parser = parse_age)]
        since: Duration,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum By {
    /// One line a person
    Person,
    /// One line a project
    Project,
}

/// What may be used in thirty days.
#[derive(Args, Debug)]
pub(super) struct LimitArgs {
    /// Tokens that may be used in thirty days; 0 is no limit
    #[arg(long, value_name = "N")]
    pub(super) tokens_per_month: Option<u64>,
    /// US dollars that may be used in thirty days; 0 is no limit
    #[arg(long, value_name = "X", value_parser = parse_cost)]
    pub(super) cost_per_month: Option<f64>,
}

#[derive(Subcommand, Debug)]
pub(super) enum UserCommand {
    /// Add somebody, with a project of their own
    Add {
        /// Small letters, digits, `.`, - and _
        name: String,
        /// They look after the team: its people, settings and keys
        #[arg(long)]
        admin: bool,
        /// Their e-mail address
        #[arg(long)]
        email: Option<String>,
        /// They sign in by OpenID Connect, and come the first time with this verified address, or
        /// with this subject (or user name, see openidClaim)
        #[arg(long, value_name = "NAME")]
        openid: Option<String>,
        #[command(flatten)]
        limits: LimitArgs,
    },
    /// Change what somebody may do for the team, or use
    Set {
        name: String,
        /// Whether they look after the team: on or off
        #[arg(long, value_parser = ["on", "off"])]
        admin: Option<String>,
        /// Who comes next from OpenID Connect with this address or subject is them, and nobody who
        /// was before
        #[arg(long, value_name = "NAME", conflicts_with = "no_openid")]
        openid: Option<String>,
        /// They sign in by OpenID Connect no more
        #[arg(long)]
        no_openid: bool,
        #[command(flatten)]
        limits: LimitArgs,
    },
    /// Take somebody away: with their own project, or handing it over
    #[command(
        after_help = "Their tokens, sign-ins, keys and roles go. What they wrote in other projects stays,\n\
        and so do the log and what they used, for as long as the settings keep those.\n\
        `plimsoll export --user NAME -o FILE.zip` gives out what is theirs before."
    )]
    Rm {
        name: String,
        /// Make somebody else the owner of their own project, and of projects without another one
        #[arg(long, value_name = "OTHER", required_unless_present = "delete")]
        hand_over_to: Option<String>,
        /// Delete their own project and all that it holds, for good
        #[arg(long, conflicts_with = "hand_over_to")]
        delete: bool,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
    /// List people, their roles and what they used in thirty days
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Subcommand, Debug)]
pub(super) enum TokenCommand {
    /// Make a token and print it once
    Add {
        /// Whose
        name: String,
        /// What it is known by
        #[arg(long, default_value = "token")]
        label: String,
        /// When it ends, such as 90d; else never
        #[arg(long, value_name = "AGE", value_parser = parse_age)]
        expires: Option<Duration>,
    },
    /// List tokens by what they are known by
    List {
        /// Whose; else everybody's
        name: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Take a token back; from then on it opens nothing
    Rm {
        /// Whose
        name: String,
        /// What it is known by
        #[arg(default_value = "token")]
        label: String,
    },
}

#[derive(Subcommand, Debug)]
pub(super) enum ProjectCommand {
    /// Add a project
    Add {
        /// The part of PROJECT/WORKSPACE before the slash
        name: String,
        /// Who says who may do what there
        #[arg(long, value_name = "USER")]
        owner: Option<String>,
    },
    /// Change what may be used in a project
    Set {
        name: String,
        #[command(flatten)]
        limits: LimitArgs,
    },
    /// List projects and who may do what there
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Subcommand, Debug)]
pub(super) enum RoleCommand {
    /// Give somebody a role
    Set {
        project: String,
        user: String,
        /// viewers read, members send and write too, owners also give roles
        #[arg(value_parser = ["viewer", "member", "owner"])]
        role: String,
    },
    /// Take a role away
    Rm { project: String, user: String },
}

/// Whose key is meant; without either, that of the team.
#[derive(Args, Debug)]
pub(super) struct HolderArgs {
    /// The key of one person: theirs goes along before all others
    #[arg(long, value_name = "NAME", conflicts_with = "project")]
    pub(super) user: Option<String>,
    /// The key of a project, for whoever sends there and has none of their own
    #[arg(long, value_name = "NAME")]
    pub(super) project: Option<String>,
}

#[derive(Subcommand, Debug)]
pub(super) enum KeyCommand {
    /// Keep a key; it is asked for, or read from standard input
    Set {
        /// Whose models it is for, such as openai
        provider: String,
        #[command(flatten)]
        holder: HolderArgs,
        /// A server that it may be sent to; else the provider's own and those in models.toml
        #[arg(long = "for", value_name = "URL")]
        servers: Vec<String>,
    },
    /// List keys: whose, for which provider and servers, and whether they open here
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Forget a key
    Rm {
        /// Whose models it is for
        provider: String,
        #[command(flatten)]
        holder: HolderArgs,
    },
    /// Seal all keys again with the first key of PLIMSOLL_SECRET_KEY
    Reseal,
}

#[derive(Subcommand, Debug)]
pub(super) enum SecretCommand {
    /// Print a new one, for PLIMSOLL_SECRET_KEY of every node
    New,
}

/// A time such as `90d`, `12h` or `2w`.
pub(super) fn parse_age(text: &str) -> Result<Duration, String> {
    let wrong = || "write a number and a unit, such as 90d, 12h, 30min or 2w".to_owned();
    let split = text.find(|letter: char| !letter.is_ascii_digit()).ok_or_else(wrong)?;
    let (number, unit) = text.split_at(split);
    let number: u64 = number.parse().map_err(|_| wrong())?;
    let seconds: u64 = match unit {
        "min" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        "w" => 7 * 24 * 60 * 60,
        _ => return Err(wrong()),
    };
    // A hundred years are enough for everybody.
    let age = number.checked_mul(seconds).filter(|age| *age <= 36_525 * 24 * 60 * 60);
    age.map(Duration::from_secs).ok_or_else(|| "that is more than a hundred years".to_owned())
}

fn parse_cost(text: &str) -> Result<f64, String> {
    let cost = text.parse::<f64>().ok().filter(|cost| cost.is_finite() && *cost >= 0.0);
    cost.ok_or_else(|| "write a number of dollars from 0".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_a_number_and_a_unit() {
        assert_eq!(parse_age("90d"), Ok(Duration::from_secs(90 * 24 * 60 * 60)));
        assert_eq!(parse_age("30min"), Ok(Duration::from_secs(1800)));
        assert_eq!(parse_age("0h"), Ok(Duration::ZERO));
        for bad in ["", "d", "90", "9 d", "1y", "-1d", "99999999999999999999d", "9999999999w"] {
            assert!(parse_age(bad).is_err(), "{bad}");
        }
        assert!(parse_cost("-1").is_err() && parse_cost("NaN").is_err());
        assert_eq!(parse_cost("2.5"), Ok(2.5));
    }
}
