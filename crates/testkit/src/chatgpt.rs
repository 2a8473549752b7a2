//! Exports as ChatGPT writes them, made up.

use serde_json::{Value, json};

/// A conversation of an export.
#[derive(Clone, Debug)]
pub struct Chat {
    pub title: String,
    /// When it began, in seconds since 1970.
    pub at: i64,
    /// Questions and answers.
    pub pairs: Vec<(String, String)>,
}

impl Chat {
    pub fn new(title: &str, at: i64, pairs: &[(&str, &str)]) -> Self {
        let pairs = pairs.iter().map(|(q, a)| ((*q).to_owned(), (*a).to_owned())).collect();
        Self { title: title.to_owned(), at, pairs }
    }
}

/// The text of a `conversations.json`.
pub fn export(chats: &[Chat]) -> String {
    Value::from(chats.iter().enumerate().map(|(n, chat)| conversation(n, chat)).collect::<Vec<_>>())
        .to_string()
}

fn conversation(n: usize, chat: &Chat) -> Value {
    let mut nodes = vec![("root".to_owned(), Value::Null)];
    for (i, (question, answer)) in chat.pairs.iter().enumerate() {
        let at = chat.at as f64 + 60.0 * i as f64;
        nodes.push((format!("u{i}"), message("user", question, at)));
        nodes.push((format!("a{i}"), message("assistant", answer, at + 5.0)));
    }
    let mut mapping = serde_json::Map::new();
    for (i, (id, message)) in nodes.iter().enumerate() {
        let parent = i.checked_sub(1).map(|before| nodes[before].0.clone());
        let children: Vec<_> = nodes.get(i + 1).map(|(id, _)| id.clone()).into_iter().collect();
        let node = json!({"id": id, "parent": parent, "children": children, "message": message});
        mapping.insert(id.clone(), node);
    }
    let end = chat.at as f64 + 60.0 * chat.pairs.len() as f64;
    json!({
        "id": format!("c-{n}"), "conversation_id": format!("c-{n}"), "title": chat.title,
        "create_time": chat.at as f64, "update_time": end,
        "current_node": nodes.last().map(|(id, _)| id), "mapping": mapping,
        "moderation_results": [], "plugin_ids": null, "default_model_slug": "gpt-4o",
        "is_archived": false,
    })
}

fn message(role: &str, text: &str, at: f64) -> Value {
    let metadata = if role == "user" { json!({}) } else { json!({"model_slug": "gpt-4o"}) };
    json!({
        "author": {"role": role, "name": null, "metadata": {}}, "create_time": at,
        "update_time": null, "content": {"content_type": "text", "parts": [text]},
        "status": "finished_successfully", "end_turn": true, "weight": 1.0,
        "metadata": metadata, "recipient": "all",
    })
}

const DAY: i64 = 86_400;

/// The sentence of last year that somebody looks for.
pub const LAST_YEAR: &str = "the tiles in the station took eleven years to paint";

/// The conversation of [`a_person`] that is too long for a small window.
pub const LONG: &str = "Moving the bakery's shop";

/// What somebody may have with ChatGPT who comes from there: a long conversation, some short
/// ones, and one of last year. Times count back from `now`, in seconds since 1970.
pub fn a_person(now: i64) -> Vec<Chat> {
    vec![
        Chat {
            title: LONG.to_owned(),
            at: now - 3 * DAY,
            pairs: MOVING.iter().map(|(q, a)| ((*q).to_owned(), (*a).to_owned())).collect(),
        },
        Chat::new(
            "Starter that does not rise",
            now - 9 * DAY,
            &[
                (
                    "My sourdough starter smells fine and does not rise. What is wrong?",
                    "Most often it is cold or hungry. Keep it at 25 °C, feed it one part starter, two \
                 parts flour and two parts water, and give it three days.",
                ),
                (
                    "Does rye flour help?",
                    "Yes: it brings more yeast and more sugar. A quarter is enough.",
                ),
            ],
        ),
        Chat::new(
            "Names for a dog",
            now - 40 * DAY,
            &[("Five short names for a calm dog?", "Juno, Otto, Pip, Nell, Bruno.")],
        ),
        Chat::new(
            "A weekend in Porto",
            now - 390 * DAY,
            &[
                (
                    "We have one morning in Porto. What should we see first?",
                    "São Bento station: it opens early, costs nothing, and the tiles in the station took \
                 eleven years to paint. From there it is a short walk down to the river.",
                ),
                ("And where do we eat?", "In Bolhão market, upstairs, before one o'clock."),
            ],
        ),
        Chat::new(
            "Sort a list in SQL",
            now - 420 * DAY,
            &[(
                "How do I sort by two columns?",
                "`ORDER BY town, name DESC`: each column has its own direction.",
            )],
        ),
    ]
}

/// Questions and answers of the long conversation: an early one that matters, and two long answers
/// that do not.
const MOVING: [(&str, &str); 15] = [
    (
        "I run a bakery with a small web shop. We have to move it to another host before Easter. \
         Please remember: no downtime on Saturdays, and the customer list must stay in the EU.",
        "Noted: no downtime on Saturdays, customer data stays in the EU, done before Easter. I \
         would move it on a Tuesday, with the old host still running for a week.",
    ),
    (
        "What do we have to copy?",
        "The database, the uploaded pictures, the configuration, the scheduled jobs and the mail \
         templates. Everything else is code and comes from the repository.",
    ),
    (
        "Which kinds of hosts are there?",
        "More than the names suggest. **Shared hosting** puts hundreds of sites on one machine: \
         cheap, looked after, and slow when a neighbour is busy; you get a directory, a database \
         and a panel, and no say in versions. A **virtual server** is a machine of your own on \
         paper: you choose the system and keep it patched, and a mistake is yours alone. A \
         **managed server** is the same with somebody who patches it, for three times the price, and \
         they will want to know before you install anything. A **platform** takes your code and \
         runs it; it grows by itself, and so does the bill, and the database is often elsewhere. \
         **Containers** on a cluster are what platforms are made of; a bakery does not need one. A \
         **shop service** is no host at all: they run the shop, you fill it, and leaving means \
         copying products by hand. **Static hosting** serves files and nothing else, which is enough \
         for the pages around a shop. Whatever it is, ask where the machines stand, who may look at \
         the disks, how backups are made and how they are played back, what happens at the end of \
         the contract, and whom you reach on a Saturday. For a shop with a few hundred orders a week \
         a small managed server in Frankfurt or Helsinki is the quiet choice.",
    ),
    (
        "How long is our time to live?",
        "Your zone says 86400 seconds, which is a day. Lower it to 300 on Sunday.",
    ),
    (
        "Which database do we run?",
        "By the dump you showed me: MariaDB 10.6, about 400 MB, most of it orders. It takes two \
         minutes to copy.",
    ),
    (
        "Can we copy while people order?",
        "Yes: a dump in one transaction sees one instant. What is ordered after it is copied in the \
         last step, when the shop is closed for a minute.",
    ),
    (
        "Tell me all about DNS records.",
        "There are many kinds. An **A** record gives the IPv4 address of a name, an **AAAA** record \
         the IPv6 address. A **CNAME** says that a name is another name, and may not stand beside \
         other records of the same name, which is why the bare domain cannot have one. **MX** \
         records name the machines that take mail, with a preference each, and the smallest wins. \
         **TXT** records hold words: SPF says who may send mail for the domain, DKIM holds the key \
         that signs it, DMARC says what to do with mail that fails both. **NS** records name the \
         servers that know the zone, and the parent zone repeats them. The **SOA** record holds the \
         serial number, by which secondaries see that something changed, and how long a missing name \
         is remembered. **SRV** records name a host and a port for a service, **CAA** records say \
         which authorities may issue certificates, and **PTR** records lead from an address back to \
         a name; those are set by whoever owns the addresses. Each record has a time to live in \
         seconds. Resolvers keep an answer that long, so a change is seen everywhere only when the \
         old time has run out. Before a move one lowers it to five minutes, waits until the old time \
         has passed, changes the address, watches the traffic go over, and raises it again. Some \
         resolvers keep answers longer than they should; that is why the old machine stays on for a \
         week. DNSSEC signs all of this: a DS record in the parent zone holds the digest of the key, \
         and when the zone moves to another provider the old DS record must go first, or nobody who \
         checks signatures finds the shop any more.",
    ),
    (
        "Who gets the mail of the shop?",
        "orders@ and hello@ go to the same mailbox; both move with the MX record, not with the shop.",
    ),
    (
        "And the payment provider?",
        "It calls a web hook at your address. Add the new address as a second one before the move; \
         it will call both, and the shop must take an order once.",
    ),
    (
        "What about certificates?",
        "The new host makes its own when the name points to it. Ask for them a day before by a TXT record.",
    ),
    (
        "Write me the list for Tuesday.",
        "1. 07:00 the shop closes for a minute.\n2. Last copy of the database.\n3. The address \
         changes.\n4. An order for one loaf as a test.\n5. The shop opens.\n6. Watch the old log \
         until nobody comes.",
    ),
    (
        "How do I see that nobody comes any more?",
        "Count the lines of its access log by hour. When an hour has none but robots, it is done.",
    ),
    (
        "What if something breaks?",
        "Point the address back: five minutes later all are where they were. Orders of the new shop are exported first.",
    ),
    (
        "Do we tell the customers?",
        "A line on the page on Monday is enough: \"On Tuesday at seven the shop rests for a minute.\"",
    ),
    (
        "Did we forget anything?",
        "The printer in the bakery: it fetches orders by the old address. Change it before you open.",
    ),
];
