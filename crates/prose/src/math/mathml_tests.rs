use super::*;

fn mathml_of(body: &str) -> String {
    let mut out = String::new();
    push(&mut out, &Formula { source: format!("${body}$"), body: body.to_owned(), display: false });
    out
}

#[test]
fn everyday_formulas_become_mathml() {
    for body in [
        "x",
        "a<b",
        "a > b",
        r"E = mc^2",
        r"\frac{-b \pm \sqrt{b^2-4ac}}{2a}",
        r"\sum_{i=1}^{n} i = \frac{n(n+1)}{2}",
        r"\int_0^\infty e^{-x^2}\,dx = \frac{\sqrt{\pi}}{2}",
        r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}",
        r"\begin{cases} 1 & x > 0 \\ 0 & \text{else} \end{cases}",
        r"\begin{aligned} a &= b \\ &= c \end{aligned}",
        r"\mathbb{R} \to \mathcal{L}, \hat{x}, \vec{v}, \overline{ab}",
        r"\left( \frac{a}{b} \right)^2",
        r"\lim_{x \to 0} \frac{\sin x}{x} = 1",
        r"\text{if } x \neq y \text{ and } P(A \mid B)",
        r"O(n \log n)",
        r"\nabla \cdot \mathbf{E} = \frac{\rho}{\varepsilon_0}",
        r"\underbrace{a+b}_{c}",
        r"\operatorname{softmax}(z)_i",
        r"\binom{n}{k}",
        r"\boxed{x}",
        r"A^{\top}, x', \ldots, \cdots",
    ] {
        let html = mathml_of(body);
        assert!(html.contains("<math") && !html.contains("math-error"), "{body}: {html}");
        assert!(!html.contains("style"), "{body}: {html}");
    }
}

#[test]
fn an_inequality_is_no_tag() {
    assert!(mathml_of("a<b").contains("<mo>&lt;</mo>"), "{}", mathml_of("a<b"));
}

#[test]
fn what_cannot_be_converted_is_shown_as_its_source() {
    for body in [r"\frac{1", r"\nosuchcommand x", r"\def\a{\a\a}\a", "x\u{202e}", r"\begin{x}"] {
        let html = mathml_of(body);
        assert!(html.starts_with("<code class=\"math-error\">$"), "{body}: {html}");
    }
}

#[test]
fn sec_2_no_element_comes_from_a_formula() {
    for body in [
        r"\text{<script>alert(1)</script>}",
        r"\text{</math><img src=x onerror=alert(1)>}",
        "<img src=x>",
        r"\href{javascript:alert(1)}{x}",
        r"\color{red}{x}",
        r"\text{<mi onclick=x>}",
    ] {
        let html = mathml_of(body);
        assert!(!html.contains("<script") && !html.contains("<img"), "{body}: {html}");
        assert!(!html.contains("style=") && !html.contains("<a"), "{body}: {html}");
    }
}

#[test]
fn deep_formulas_are_shown_as_their_source() {
    for body in [
        "{".repeat(3000) + &"}".repeat(3000),
        "\\sqrt".repeat(1500) + "x",
        "\\sqrt".repeat(500) + "x",
        "x^".repeat(3000),
    ] {
        assert!(mathml_of(&body).starts_with("<code"), "{}", &body[..20]);
    }
}
