//! The list of conversations (HIS-9, UI-15). The order is found from ids, times and titles alone;
//! what else is told is read for the part that is wanted.

use std::collections::HashSet;

use plimsoll_domain::{Timestamp, TopicId};

use crate::{
    ConversationPage, ConversationPlace, ConversationQuery, ListedConversation, StoreResult,
    Workspace,
    engine::{Db, first, id, opt_id},
};

/// The newest pair of each is one look into the index `pairs_by_topic`, however many it holds.
const PLACES: &str = "SELECT t.id, t.parent_id, t.name, (SELECT MAX(p.created_at) FROM pairs p
    WHERE p.topic_id = t.id) FROM topics t WHERE t.workspace = $1";
/// All of it but the title stands in the indexes `pairs_by_topic` and `receipts_by_topic`.
const LISTED: &str = "SELECT t.name, t.named, COUNT(p.id),
    CAST(COALESCE(SUM(p.text_bytes), 0) AS BIGINT), (SELECT n.model FROM pairs n WHERE n.topic_id = t.id ORDER BY n.created_at DESC, n.id DESC
    LIMIT 1), (SELECT SUM(r.cost) FROM receipts r WHERE r.topic_id = t.id AND r.cost > 0)
    FROM topics t LEFT JOIN pairs p ON p.topic_id = t.id WHERE t.id = $1 GROUP BY t.id";
const LAST_SENT_IN: &str = "SELECT topic_id FROM pairs WHERE workspace = $1
    AND (receipt_id IS NOT NULL OR lifecycle = 'sending')
    ORDER BY created_at DESC, id DESC LIMIT 1";

pub(crate) fn page(
    db: &mut dyn Db,
    workspace: &Workspace,
    query: &ConversationQuery,
) -> StoreResult<ConversationPage> {
    let mut places = places(db, workspace, &query.find)?;
    let total = places.len() as u64;
    places.retain(|place| query.before.is_none_or(|before| *place < before));
    let more = places.len() > query.limit;
    if more {
        places.select_nth_unstable_by(query.limit, |one, other| other.cmp(one));
        places.truncate(query.limit);
    }
    places.sort_unstable_by(|one, other| other.cmp(one));
    let mut conversations = Vec::with_capacity(places.len());
    for place in places {
        conversations.extend(listed(db, place)?);
    }
    Ok(ConversationPage { conversations, total, more })
}

pub(crate) fn last_sent_in(db: &mut dyn Db, workspace: &Workspace) -> StoreResult<Option<TopicId>> {
    first(db, LAST_SENT_IN, values![workspace], |row| id(row, 0))
}

/// Where the conversations stand whose titles hold all words, in no order.
fn places(
    db: &mut dyn Db,
    workspace: &Workspace,
    find: &str,
) -> StoreResult<Vec<ConversationPlace>> {
    let words: Vec<String> = find.split_whitespace().map(str::to_lowercase).collect();
    let mut found = Vec::new();
    let mut empty = HashSet::new();
    let mut parents = HashSet::new();
    db.each(PLACES, values![workspace], &mut |row| {
        parents.extend(opt_id::<TopicId>(row, 1)?);
        // Databases differ in what they call the same letter in another case.
        if !words.is_empty() {
            let title = row.text(2)?.to_lowercase();
            if !words.iter().all(|word| title.contains(word)) {
                return Ok(());
            }
        }
        let id: TopicId = id(row, 0)?;
        let newest = row.opt_int(3)?.map(Timestamp::from_millis);
        if newest.is_none() {
            empty.insert(id);
        }
        found.push(ConversationPlace { newest: newest.unwrap_or_else(|| id.made_at()), id });
        Ok(())
    })?;
    found.retain(|place| !(empty.contains(&place.id) && parents.contains(&place.id)));
    Ok(found)
}

fn listed(db: &mut dyn Db, place: ConversationPlace) -> StoreResult<Option<ListedConversation>> {
    first(db, LISTED, values![place.id], |row| {
        Ok(ListedConversation {
            place,
            title: row.string(0)?,
            named: row.truth(1)?,
            pairs: row.count(2)?,
            text_bytes: row.count(3)?,
            model: row.opt_string(4)?,
            cost: row.opt_real(5)?,
        })
    })
}
