//! scratch
fn main() {
    let mut s = String::new();
    std::io::Read::read_to_string(&mut std::io::stdin(), &mut s).unwrap();
    let p = ctr_grammar::parse(&s);
    for e in &p.errors {
        let line = s[..e.span.start as usize].matches('\n').count() + 1;
        println!(
            "{} line {line} [{:?}] {} | help: {:?} | fix: {:?} | labels {:?}",
            e.code,
            e.span.text(&s),
            e.message,
            e.help,
            e.fix,
            e.labels
        );
    }
    if std::env::args().nth(1).is_some() {
        println!("{:#?}", p.file);
    }
    println!("{} items, {} errors", p.file.items.len(), p.errors.len());
}
