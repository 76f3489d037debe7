use hardbop_evidence::{Certificate, Interrupt, Limit};
struct No; impl Interrupt for No { fn check(&self) -> Option<Limit> { None } }
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let m = hardbop_machine::from_text("x.bp", &std::fs::read_to_string(&a[1]).unwrap()).unwrap();
    let v: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&a[2]).unwrap()).unwrap();
    let c: Vec<Certificate> = if v.is_array() { serde_json::from_value(v).unwrap() } else { vec![serde_json::from_value(v).unwrap()] };
    for c in c { let t = std::time::Instant::now(); println!("{:?} {:?}", hardbop_checker::validate(&m, &c, &No).map_err(|e| e.to_string()), t.elapsed()); }
}
