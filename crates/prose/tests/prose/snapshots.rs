//! Typical answers, whole.

use plimsoll_prose::{Renderer, render};

#[test]
fn an_answer_about_code() {
    insta::assert_snapshot!(render(
        "## Why it blocks\n\nBecause `std::sync::Mutex` is held **across** an `.await`. Drop the \
         guard *first*:\n\n```rust\nlet job = { queue.lock().unwrap().pop() }; // dropped here\n\
         if let Some(job) = job {\n    run::<'static>(job, \"x < y\", 0x1F).await;\n}\n```\n\n\
         1. Lock\n2. Pop\n   - quickly\n3. Run\n\n> See https://docs.rs/tokio, or\n> [the guide]\
         (https://tokio.rs/tokio/tutorial \"title\").\n\n---\n\n~~Old~~ and <b>raw</b> &amp; done.\n"
    ));
}

#[test]
fn an_answer_with_tables_and_tasks() {
    insta::assert_snapshot!(render(
        "| name | n | what |\n|:-----|--:|:----:|\n| a `|` | 1 | x<br>y |\n| $|x|$ | 20 | **b** |\n\n\
         - [x] done\n- [ ] not *done*\n- plain\n\n3. three\n4. four\n\n    indented code\n"
    ));
}

#[test]
fn an_answer_with_formulas() {
    insta::assert_snapshot!(render(
        "The roots of \\(ax^2 + bx + c\\) cost $5 and $10:\n\n$$\nx = \\frac{-b \\pm \
         \\sqrt{b^2 - 4ac}}{2a}\n$$\n\nso $\\boxed{x < 3}$, but $\\nosuch{x}$ is not one.\n\n\
         > \\[\n> a &= b \\\\\n> c &= d\n> \\]\n"
    ));
}

#[test]
fn images_and_odd_links_load_nothing() {
    insta::assert_snapshot!(render(
        "![a cat](https://a.example/cat.png) ![](https://a.example/dog.png) ![x](data:image/png;base64,AA)\n\
         [file](src/main.rs) [mail](mailto:a@b.c) <a@b.c> <https://b.example> <<context:file:a.rs>>>\n\
         [![badge](https://a.example/b.svg)](https://a.example) www.c.example/d_e_f?x=1&y=2.\n\
         <div onclick=\"x\">\nraw *html*\n</div>\n\n`a\u{202e}b`\n"
    ));
}

#[test]
fn people_end_lines_where_they_end_them() {
    let user = Renderer { line_breaks: true };
    assert_eq!(user.render("a\nb"), "<p>a<br>\nb</p>\n");
    assert_eq!(render("a\nb"), "<p>a\nb</p>\n");
}
