//! File names made of titles, whatever the title is.

/// Long enough to be told apart, short enough for every file system.
const LONGEST: usize = 60;

/// Names that some systems keep for devices.
const RESERVED: [&str; 4] = ["con", "prn", "aux", "nul"];

/// A safe file name: lower-case ASCII letters, digits and single hyphens, never empty.
pub fn slug(title: &str) -> String {
    let mut name = String::new();
    for c in title.chars() {
        if name.len() >= LONGEST {
            break;
        }
        match c.to_ascii_lowercase() {
            c if c.is_ascii_alphanumeric() => name.push(c),
            _ if name.is_empty() || name.ends_with('-') => {}
            _ => name.push('-'),
        }
    }
    let name = name.trim_end_matches('-');
    let device = RESERVED.contains(&name)
        || ["com", "lpt"].iter().any(|port| {
            name.strip_prefix(port)
                .is_some_and(|n| n.len() == 1 && n.as_bytes()[0].is_ascii_digit())
        });
    match name {
        "" => "untitled".to_owned(),
        _ if device => format!("{name}-x"),
        _ => name.to_owned(),
    }
}

/// Whether a text is a name that [`slug`] could have made, with a number added or not.
pub(crate) fn is_slug(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !text.is_empty() && text.len() <= LONGEST + 8 && text.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn titles_become_names() {
        for (title, name) in [
            ("Use SQLite, not files!", "use-sqlite-not-files"),
            ("../../etc/passwd", "etc-passwd"),
            ("  ", "untitled"),
            ("日本語", "untitled"),
            ("CON", "con-x"),
            ("lpt1", "lpt1-x"),
            ("a\0b\nc", "a-b-c"),
            (".hidden", "hidden"),
        ] {
            assert_eq!(slug(title), name, "{title:?}");
        }
    }

    proptest! {
        #[test]
        fn a_slug_is_always_a_safe_name(title in any::<String>()) {
            let name = slug(&title);
            prop_assert!(is_slug(&name), "{name:?}");
            prop_assert!(!name.starts_with('-') && !name.ends_with('-'));
            prop_assert!(!name.contains("--"));
            prop_assert_eq!(slug(&name), name.clone(), "a slug of a slug is itself");
        }
    }
}
