//! What the formats print, whole. Snapshots are in `snapshots/`; the version is left out of them.

use serde_json::{Value, json};

use super::fixtures::{self, article, hostile, incomplete, report};
use super::summary::VERSION;
use super::{Format, Report, SCHEMA, TextStyle, render};

fn style(width: u16) -> TextStyle {
    TextStyle {
        colour: false,
        width: Some(width),
    }
}

fn text(report: &Report, width: u16) -> String {
    without_version(&render(report, Format::Text, style(width)))
}

fn without_version(rendered: &str) -> String {
    rendered
        .replace(&format!("lab {VERSION}"), "lab [version]")
        .replace(
            &format!("\"version\": \"{VERSION}\""),
            "\"version\": \"[version]\"",
        )
}

fn plain(report: &Report, format: Format) -> String {
    without_version(&render(report, format, TextStyle::default()))
}

/// Columns that a line takes, as the table itself measures them.
fn columns(line: &str) -> usize {
    let mut table = comfy_table::Table::new();
    table.add_row([line]);
    usize::from(table.column_max_content_widths()[0])
}

fn table_lines(text: &str) -> Vec<&str> {
    let drawn = |line: &&str| line.starts_with(['┌', '│', '├', '└']);
    text.lines().filter(drawn).collect()
}

#[test]
fn text_at_80_columns() {
    insta::assert_snapshot!(text(&article(), 80));
}

#[test]
fn text_at_40_columns() {
    insta::assert_snapshot!(text(&article(), 40));
}

#[test]
fn text_of_one_incomplete_run() {
    insta::assert_snapshot!(text(&report(vec![incomplete()]), 80));
}

#[test]
fn text_with_hostile_ids() {
    insta::assert_snapshot!(text(&hostile(), 100));
}

#[test]
fn text_without_a_terminal() {
    insta::assert_snapshot!(plain(&article(), Format::Text));
}

#[test]
fn markdown() {
    insta::assert_snapshot!(plain(&article(), Format::Markdown));
}

#[test]
fn markdown_with_hostile_ids() {
    insta::assert_snapshot!(plain(&hostile(), Format::Markdown));
}

#[test]
fn csv() {
    insta::assert_snapshot!(plain(&article(), Format::Csv));
}

#[test]
fn json_of_one_incomplete_run() {
    insta::assert_snapshot!(plain(&report(vec![incomplete()]), Format::Json));
}

#[test]
fn verdicts_are_coloured_and_nothing_else_is() {
    let colour = TextStyle {
        colour: true,
        width: Some(80),
    };
    let mut all = article();
    all.runs.push(incomplete());
    let coloured = render(&all, Format::Text, colour);
    let bare = render(&all, Format::Text, style(80));
    let (green, red, yellow) = (
        "\u{1b}[1m\u{1b}[32m",
        "\u{1b}[1m\u{1b}[31m",
        "\u{1b}[1m\u{1b}[33m",
    );
    // Once in the table and once in its line.
    for (painted, times) in [
        (format!("{green}PASS\u{1b}[0m"), 2),
        (format!("{red}DOUBLE\u{1b}[0m"), 4),
        (format!("{yellow}INCOMPLETE\u{1b}[0m"), 2),
    ] {
        assert_eq!(coloured.matches(&painted).count(), times, "{painted:?}");
    }
    let mut stripped = coloured;
    for code in [green, red, yellow, "\u{1b}[0m"] {
        stripped = stripped.replace(code, "");
    }
    assert_eq!(stripped, bare);
}

#[test]
fn the_table_fits_every_usual_width_with_any_ids() {
    for width in [32, 40, 60, 80, 100, 132, 200] {
        for report in [article(), hostile()] {
            let text = text(&report, width);
            let lines = table_lines(&text);
            assert!(lines.len() > super::table::MEASURES.len());
            for line in lines {
                assert!(columns(line) <= usize::from(width), "{width}: {line}");
            }
        }
    }
}

#[test]
fn no_format_for_people_sends_a_control_character() {
    let mut report = hostile();
    report.title = "title\u{1b}[31m".to_owned();
    report.replay = "lab run 'a\u{9b}b'".to_owned();
    report.runs[0].arm = "arm\u{7}\n".to_owned();
    report.runs[0].title = "\u{2028}".to_owned();
    report.runs[0].warnings = vec!["\r".to_owned()];
    report.knobs[0].1 = "\u{1b}c".to_owned();
    for format in [Format::Text, Format::Markdown, Format::Csv, Format::Json] {
        let rendered = render(&report, format, TextStyle::default());
        let sent = rendered
            .chars()
            .find(|each| *each != '\n' && super::escape::misleads(*each));
        assert_eq!(sent, None, "{format:?}");
    }
}

#[test]
fn the_last_line_is_the_replay_command() {
    for report in [article(), report(Vec::new())] {
        let text = render(&report, Format::Text, style(80));
        assert_eq!(text.lines().last(), Some("lab run article --seed 1"));
    }
}

#[test]
fn json_says_what_the_issue_asks_for() {
    let document = json(&article());
    let run = &document["runs"][0];
    assert_eq!(document["schema"], "lab.report/1");
    assert_eq!(document["seed"], 1);
    for (field, value) in [
        ("run", json!("run-1")),
        ("target", json!("local")),
        ("guard", json!("none")),
        ("order", json!("ORDER-001")),
        ("sent", json!(4)),
        ("messages", json!(4)),
        ("orders", json!(1)),
        ("charges", json!(4)),
        (
            "events",
            json!({"process_start": 4, "skip_duplicate": 0, "charge_applied": 4, "process_end": 4}),
        ),
        ("items", json!([])),
        ("amount_owed", json!("150.00")),
        ("amount_charged", json!("600.00")),
        ("overlapped", json!(true)),
        ("reconciled", json!(true)),
        ("verdict", json!("DOUBLE")),
    ] {
        let mut value = value;
        if let Some(events) = value.as_object_mut() {
            events.retain(|_, count| *count != json!(0));
        }
        assert_eq!(run[field], value, "{field}");
    }
    assert_eq!(document["as_expected"], true);
    assert_eq!(json(&report(Vec::new()))["as_expected"], false);
    let guarded = &document["runs"][1];
    assert_eq!(
        [
            &guarded["sent"],
            &guarded["charges"],
            &guarded["orders"],
            &guarded["messages"]
        ],
        [&json!(10), &json!(1), &json!(1), &json!(1)]
    );
    assert_eq!(guarded["items"][0]["orderId"], json!({"S": "ORDER-003"}));
}

#[test]
fn json_carries_every_id_exactly() {
    let document = json(&hostile());
    for (index, id) in fixtures::HOSTILE_IDS.into_iter().enumerate() {
        assert_eq!(document["runs"][index]["order"], id);
        assert_eq!(document["runs"][index]["items"][0]["orderId"]["S"], id);
    }
}

#[test]
fn an_amount_of_nothing_has_the_decimals_of_the_amount_owed() {
    let mut lost = fixtures::guarded(1, "ORDER-003");
    lost.evidence.ledger = None;
    for (charged, shown) in [("0", "0.00"), ("150.5", "150.50"), ("150.00", "150.00")] {
        lost.evidence.read_back.amount_charged = charged.parse().expect("an amount");
        assert_eq!(lost.amount_charged(), shown);
    }
    lost.record.order.amount = "150".parse().expect("an amount");
    lost.evidence.read_back.amount_charged = "0".parse().expect("an amount");
    assert_eq!(lost.amount_charged(), "0");
}

fn json(report: &Report) -> Value {
    let rendered = render(report, Format::Json, TextStyle::default());
    serde_json::from_str(&rendered).expect("a JSON document")
}

mod schema {
    use super::*;

    fn validator() -> jsonschema::Validator {
        let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
        jsonschema::draft202012::meta::validate(&schema).expect("the schema is a schema");
        jsonschema::draft202012::new(&schema).expect("the schema compiles")
    }

    fn errors(document: &Value) -> Vec<String> {
        let validator = validator();
        validator
            .iter_errors(document)
            .map(|error| error.to_string())
            .collect()
    }

    #[test]
    fn real_reports_are_valid() {
        let mut elsewhere = article();
        elsewhere.seed = None;
        elsewhere.runs[1].evidence.ledger = None;
        elsewhere.runs[1].evidence.usage = None;
        for report in [
            article(),
            hostile(),
            report(vec![incomplete()]),
            report(vec![]),
            elsewhere,
        ] {
            assert_eq!(errors(&json(&report)), Vec::<String>::new());
        }
    }

    #[test]
    fn broken_documents_are_not() {
        type Break = fn(&mut Value);
        let breaks: [(&str, Break); 9] = [
            ("another schema", |document| {
                document["schema"] = json!("lab.report/2")
            }),
            ("an unknown field", |document| document["extra"] = json!(1)),
            ("an unknown field of a run", |document| {
                document["runs"][0]["extra"] = json!(1)
            }),
            ("a count as text", |document| {
                document["runs"][0]["charges"] = json!("4")
            }),
            ("an event type of zero", |document| {
                document["runs"][0]["events"]["claim_won"] = json!(0)
            }),
            ("an unknown event type", |document| {
                document["runs"][0]["events"]["paid"] = json!(1)
            }),
            ("an unknown verdict", |document| {
                document["runs"][0]["verdict"] = json!("FINE")
            }),
            ("an item in plain JSON", |document| {
                document["runs"][1]["items"][0]["orderId"] = json!("ORDER-003")
            }),
            ("a missing field", |document| {
                document["runs"][0]
                    .as_object_mut()
                    .expect("an object")
                    .remove("sent");
            }),
        ];
        for (name, make) in breaks {
            let mut document = json(&article());
            make(&mut document);
            assert_eq!(errors(&document).len(), 1, "{name}");
        }
    }

    #[test]
    fn every_property_is_described_and_no_other_is_allowed() {
        fn walk(path: &str, schema: &Value) {
            let says_what = ["$ref", "type", "const", "enum", "anyOf"];
            assert!(
                says_what.iter().any(|word| schema.get(word).is_some()),
                "{path}"
            );
            let properties = schema["properties"].as_object();
            if properties.is_some() {
                assert_eq!(schema["additionalProperties"], false, "{path}");
            }
            for (name, property) in properties.into_iter().flatten() {
                let path = format!("{path}/{name}");
                assert!(
                    property["description"].is_string(),
                    "{path} has no description"
                );
                walk(&path, property);
            }
            if schema["items"].is_object() {
                walk(&format!("{path}/items"), &schema["items"]);
            }
        }
        let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
        walk("", &schema);
        for (name, definition) in schema["$defs"].as_object().expect("definitions") {
            walk(&format!("$defs/{name}"), definition);
        }
    }
}
