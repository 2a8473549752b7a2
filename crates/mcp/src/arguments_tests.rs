use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::all_tools;

fn tool(name: &str) -> &'static ToolSpec {
    all_tools().find(|tool| tool.name == name).unwrap()
}

fn check(name: &str, value: Value) -> Result<Arguments, BadArgument> {
    let Value::Object(object) = value else { panic!("an object") };
    Arguments::check(tool(name), Some(object))
}

#[test]
fn mbg_5_numbers_in_texts_are_numbers() {
    let args =
        check("mem_search", json!({"query": "x", "limit": "7", "max_tokens": "500"})).unwrap();
    assert_eq!((args.read("limit"), args.read("max_tokens")), (Ok(Some(7_u64)), Ok(Some(500_u64))));
    let args = check("mem_search", json!({"query": "x", "limit": 7.0, "max_tokens": 500})).unwrap();
    assert_eq!((args.read("limit"), args.read("max_tokens")), (Ok(Some(7_u64)), Ok(Some(500_u64))));
    let ids = |value| check("mem_save", json!({"title": "t", "content": "c", "relate_to": value}));
    for value in [json!([4, "5"]), json!("4, 5"), json!("[4,5]"), json!("#4,#5")] {
        assert_eq!(ids(value).unwrap().read("relate_to"), Ok(vec![4, 5]));
    }
    assert_eq!(ids(json!(4)).unwrap().read("relate_to"), Ok(vec![4]));
    let delete = check("mem_delete", json!({"id": 1, "hard_delete": "true"})).unwrap();
    assert_eq!(delete.read("hard_delete"), Ok(true));
}

#[test]
fn mbg_5_what_is_no_budget_is_told() {
    for bad in [json!(0), json!(-5), json!(2.5), json!("many"), json!(""), json!([]), json!(true)] {
        let said = check("mem_context", json!({"max_tokens": bad})).unwrap_err().to_string();
        assert!(said.starts_with("max_tokens must be a whole number above 0"), "{said}");
    }
    assert!(check("mem_context", json!({"max_tokens": null})).is_ok(), "null is absent");
}

#[test]
fn mistakes_are_named() {
    for (name, arguments, says) in [
        ("mem_search", json!({}), "mem_search needs query"),
        ("mem_search", json!({"query": 5}), "query must be a text, not 5"),
        (
            "mem_search",
            json!({"query": "x", "maxTokens": 5}),
            "takes no \"maxTokens\"; it takes query,",
        ),
        ("mem_search", json!({"query": "x", "limit": -1}), "limit must be a whole number"),
        (
            "mem_search",
            json!({"query": "x", "detail_level": "most"}),
            "one of summary, standard, full",
        ),
        ("mem_get_observation", json!({"id": "forty"}), "id must be a whole number"),
        ("mem_save", json!({"title": "t", "content": ["a"]}), "content must be a text, not a list"),
        ("mem_save", json!({"title": "t", "content": "c", "relate_to": ["x"]}), "a list of ids"),
        ("mem_delete", json!({"id": 1, "hard_delete": 1}), "true or false"),
    ] {
        let said = check(name, arguments).unwrap_err().to_string();
        assert!(said.contains(says), "{said}");
    }
    let long = "x".repeat(1 << 20);
    let said = check("mem_save", json!({"title": "t", "content": long})).unwrap_err().to_string();
    assert!(said.contains("content has 1048576 bytes; at most 65536"), "{said}");
}

#[test]
fn json_comes_as_text_or_as_it_is() {
    let content = |value| {
        let args = check("mem_progress", json!({"project": "p", "content": value})).unwrap();
        args.read::<String>("content").unwrap()
    };
    assert_eq!(content(json!("{\"a\":1}")), "{\"a\":1}");
    assert_eq!(content(json!({"a": 1})), "{\"a\":1}");
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,60}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 20, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((".{0,8}", inner), 0..5)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    /// Whatever a client sends, there is an answer, and an error is short.
    #[test]
    fn any_value_is_taken_or_told(at in 0..all_tools().count(), values in prop::collection::vec(any_json(), 9)) {
        let tool = all_tools().nth(at).unwrap();
        let given = tool.params.iter().zip(values).map(|(param, value)| (param.name.to_owned(), value));
        match Arguments::check(tool, Some(given.collect())) {
            Ok(args) => for param in tool.params.iter().filter(|param| param.required) {
                prop_assert!(args.values.contains_key(param.name));
            },
            Err(error) => prop_assert!(error.to_string().len() < 400, "{error}"),
        }
    }
}
