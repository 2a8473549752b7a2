//! PDFs made byte by byte.

/// A PDF with these pages, an outline that names each, and a title.
pub fn pdf(pages: &[&str]) -> Vec<u8> {
    let count = pages.len();
    let page = |number: usize| 10 + number * 3;
    let kids: Vec<String> = (0..count).map(|number| format!("{} 0 R", page(number))).collect();
    let mut objects = vec![
        (1, "<< /Type /Catalog /Pages 2 0 R /Outlines 4 0 R >>".to_owned()),
        (2, format!("<< /Type /Pages /Kids [{}] /Count {count} >>", kids.join(" "))),
        (
            3,
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
                .to_owned(),
        ),
        (
            4,
            format!(
                "<< /First {} 0 R /Last {} 0 R >>",
                page(0) + 2,
                page(count.saturating_sub(1)) + 2
            ),
        ),
        (5, "<< /Title (The \\(real\\) title) >>".to_owned()),
    ];
    for (number, text) in pages.iter().enumerate() {
        let lines: Vec<String> =
            text.lines().map(|line| format!("({}) Tj 0 -14 Td", escaped(line))).collect();
        let content = format!("BT /F1 12 Tf 50 700 Td {} ET", lines.join(" "));
        let at = page(number);
        objects.push((
            at,
            format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {} 0 R \
                 /Resources << /Font << /F1 3 0 R >> >> >>",
                at + 1
            ),
        ));
        objects.push((
            at + 1,
            format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
        ));
        let next = if number + 1 < count {
            format!("/Next {} 0 R", page(number + 1) + 2)
        } else {
            String::new()
        };
        objects.push((
            at + 2,
            format!("<< /Title (Chapter {}) /Dest [{at} 0 R /Fit] {next} >>", number + 1),
        ));
    }
    assemble(&objects, "/Root 1 0 R /Info 5 0 R")
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)")
}

/// Objects with their table.
pub fn assemble(objects: &[(usize, String)], trailer: &str) -> Vec<u8> {
    let mut bytes = b"%PDF-1.7\n".to_vec();
    let size = objects.iter().map(|(number, _)| number + 1).max().unwrap_or(1);
    let mut table = vec!["0000000000 65535 f \n".to_owned(); size];
    for (number, body) in objects {
        table[*number] = format!("{:010} 00000 n \n", bytes.len());
        bytes.extend_from_slice(format!("{number} 0 obj\n{body}\nendobj\n").as_bytes());
    }
    let start = bytes.len();
    bytes.extend_from_slice(format!("xref\n0 {size}\n{}", table.concat()).as_bytes());
    bytes.extend_from_slice(
        format!("trailer\n<< /Size {size} {trailer} >>\nstartxref\n{start}\n%%EOF\n").as_bytes(),
    );
    bytes
}
