//! From what was typed to checked values; an error says what would be right.

pub(crate) fn parse_quota(text: &str) -> Result<plimsoll_app::QuotaChoice, String> {
    use plimsoll_app::QuotaChoice;
    match text {
        "go" => Ok(QuotaChoice::Go),
        seconds => seconds
            .parse()
            .map(|seconds| QuotaChoice::WaitUpTo(std::time::Duration::from_secs(seconds)))
            .map_err(|_| "give a number of seconds, or go".to_owned()),
    }
}

pub(crate) fn parse_delivery(text: &str) -> Result<plimsoll_domain::Delivery, String> {
    use plimsoll_domain::Delivery;
    Delivery::parse(text)
        .filter(|delivery| *delivery != Delivery::Path)
        .ok_or_else(|| "files are delivered inline or on-demand".to_owned())
}

pub(crate) fn parse_over_budget(text: &str) -> Result<plimsoll_budget::OverBudget, String> {
    use plimsoll_budget::OverBudget;
    OverBudget::parse(text).ok_or_else(|| {
        let names: Vec<&str> = OverBudget::ALL.iter().map(|policy| policy.name()).collect();
        format!("it is one of {}", names.join(", "))
    })
}

pub(crate) fn parse_method(text: &str) -> Result<plimsoll_tokens::Method, String> {
    use plimsoll_tokens::Method;
    Method::parse(text).ok_or_else(|| {
        let names: Vec<&str> = Method::ALL.iter().map(|method| method.name()).collect();
        format!("it is one of {}", names.join(", "))
    })
}

pub(crate) fn parse_ratio(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(ratio) if ratio.is_finite() && ratio > 0.0 => Ok(ratio),
        _ => Err("it is a number above 0, such as 3.5".to_owned()),
    }
}

pub(crate) fn parse_header(text: &str) -> Result<(String, String), String> {
    match text.split_once(':') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("a header is written 'Name: value'".to_owned()),
    }
}

pub(crate) fn parse_workspace(text: &str) -> Result<String, String> {
    let is_name = |name: &str| {
        !name.is_empty()
            && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
            && !name.starts_with('.')
    };
    match text.split_once('/') {
        Some((project, workspace)) if is_name(project) && is_name(workspace) => Ok(text.to_owned()),
        _ => Err("it is written PROJECT/WORKSPACE, such as default/main".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workspaces_are_two_names() {
        assert!(parse_workspace("default/main").is_ok());
        for bad in ["main", "/", "a/", "a/../b", "a/b/c", "../x", ""] {
            assert!(parse_workspace(bad).is_err(), "{bad:?}");
        }
    }
}
