//! The real sentence model. It is fetched once into the target directory; where that is
//! impossible these tests say so and do nothing. `PLIMSOLL_TEST_SENTENCE_MODEL` names a data
//! directory that has it already.

use std::{ops::ControlFlow, path::PathBuf, sync::OnceLock};

use plimsoll_embedded::{
    SENTENCE_DIMENSIONS, SentenceModel, fetch_sentence_model, locate_sentence_model,
};
use plimsoll_testkit::real;

fn model() -> Option<&'static SentenceModel> {
    static MODEL: OnceLock<Result<SentenceModel, String>> = OnceLock::new();
    let model = MODEL.get_or_init(|| {
        let home = match std::env::var_os("PLIMSOLL_TEST_SENTENCE_MODEL") {
            Some(home) => PathBuf::from(home),
            None => {
                let cache = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
                if locate_sentence_model(&cache).is_err() {
                    fetch_sentence_model(&cache, None, &mut |_| ControlFlow::Continue(()))
                        .map_err(|error| error.to_string())?;
                }
                cache
            }
        };
        SentenceModel::new(&home, 1).map_err(|error| error.to_string())
    });
    model.as_ref().map_err(|why| real::skipped(&format!("no sentence model: {why}"))).ok()
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(ToString::to_string).collect()
}

fn close(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).map(|(a, b)| a * b).sum()
}

/// The tokens and the first numbers of some vectors, computed in double precision by a few lines
/// of numpy from the same file, with the Python package tokenizers.
#[test]
fn mem_10_vectors_are_those_of_a_reference() {
    let Some(model) = model() else { return };
    let long = "ship ".repeat(400);
    let cases: [(&str, usize, [f32; 8]); 7] = [
        (
            "This is an example sentence",
            7,
            [0.067657, 0.063496, 0.048713, 0.079305, 0.037448, 0.002653, 0.039375, -0.007098],
        ),
        (
            "Each sentence is converted",
            6,
            [0.086439, 0.102763, 0.005395, 0.002044, -0.009963, 0.025386, 0.049288, -0.030627],
        ),
        (
            "Where do we keep the retry limit?",
            11,
            [-0.041706, -0.007189, 0.02293, 0.006459, -0.026704, 0.00361, -0.037876, -0.044036],
        ),
        (
            "naïve café — Ünïcödé 北京",
            8,
            [0.049361, -0.009743, 0.032829, -0.055645, -0.051415, 0.011943, 0.050468, -0.04804],
        ),
        (
            &long,
            256,
            [0.004764, -0.062929, 0.03356, 0.024247, -0.018453, -0.050541, -0.015198, -0.029142],
        ),
        (
            "",
            2,
            [-0.118838, 0.048299, -0.002548, -0.011011, 0.051951, 0.010292, 0.115433, 0.000701],
        ),
        (
            "fn parse_max_tokens(text: &str) -> Result<u64, String>",
            27,
            [0.052106, 0.018645, -0.036622, -0.045422, -0.050724, -0.042094, -0.031125, 0.118502],
        ),
    ];
    let all = texts(&cases.iter().map(|(text, ..)| *text).collect::<Vec<_>>());
    // Together and alone, which must be the same.
    for vectors in [
        model.embed(&all).unwrap(),
        all.iter().flat_map(|text| model.embed(std::slice::from_ref(text)).unwrap()).collect(),
    ] {
        for ((text, tokens, expected), vector) in cases.iter().zip(&vectors) {
            assert_eq!(model.tokens(text).unwrap().len(), *tokens, "{text}");
            assert_eq!(vector.len(), SENTENCE_DIMENSIONS);
            assert!((close(vector, vector) - 1.0).abs() < 1e-4, "{text}");
            for (number, expected) in vector.iter().zip(expected) {
                assert!((number - expected).abs() < 1e-3, "{text}: {vector:?}");
            }
        }
    }
}

#[test]
fn mem_10_what_means_the_same_lies_closer() {
    let Some(model) = model() else { return };
    let vectors = model
        .embed(&texts(&[
            "send the client to another URL",
            "How to answer with a redirect response",
            "Passwords are hashed with bcrypt",
        ]))
        .unwrap();
    let (same, other) = (close(&vectors[0], &vectors[1]), close(&vectors[0], &vectors[2]));
    assert!(same > 0.3 && other < 0.2, "{same} {other}");
}

#[test]
fn mem_10_the_background_computes_the_same() {
    let Some(model) = model() else { return };
    let sentence = texts(&["A ship may lie as deep as her load line shows."]);
    let behind = model.in_background().unwrap().embed(&sentence).unwrap();
    assert_eq!(behind, model.embed(&sentence).unwrap());
}
