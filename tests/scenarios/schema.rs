//! The schema for editors says what the parser says.

use lab::experiment::{Scenario, ScenarioName};
use serde_json::{Value, json};

const SCHEMA: &str = include_str!("../../scenarios/scenario.schema.json");

fn schema() -> Value {
    serde_json::from_str(SCHEMA).expect("JSON")
}

fn text_of(name: ScenarioName) -> String {
    let path = format!("{}/scenarios/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("it is compiled in from there")
}

#[test]
fn it_takes_every_scenario_that_is_compiled_in() {
    let validator = jsonschema::draft202012::new(&schema()).expect("a schema");
    for name in ScenarioName::ALL {
        let document: Value = toml::from_str(&text_of(*name)).expect("TOML");
        let errors: Vec<String> = validator
            .iter_errors(&document)
            .map(|error| format!("{name}: {error} at {}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{}", errors.join("\n"));
    }
}

/// The keys that the parser knows in a place, from what it says about one that it does not know.
fn known_keys(place: &str) -> Vec<String> {
    let arm = |inside: &str| {
        format!(
            "title = \"t\"\nlearn = \"l\"\n[[arm]]\nname = \"a\"\ntitle = \"t\"\nguard = \"none\"\n\
             expect = \"PASS\"\n{inside}\n"
        )
    };
    let short = "order = \"O\"\ncopies = 1\n";
    let text = match place {
        "" => format!("zzzzzzzzzz = 1\n{}", arm(short)),
        "defaults" => format!("{}[defaults]\nzzzzzzzzzz = 1\n", arm(short)),
        "arm" => arm(&format!("{short}zzzzzzzzzz = 1")),
        "sends" => arm("sends = [{ order = \"O\", zzzzzzzzzz = 1 }]"),
        table => arm(&format!("{short}{table} = {{ zzzzzzzzzz = 1 }}")),
    };
    let said = Scenario::from_toml("x.toml", &text)
        .expect_err("an unknown key")
        .to_string();
    let keys = said
        .split("known keys: ")
        .nth(1)
        .expect("the keys are named");
    let mut keys: Vec<String> = keys.trim().split(", ").map(str::to_owned).collect();
    keys.sort();
    keys
}

#[test]
fn it_knows_the_keys_that_the_parser_knows() {
    let schema = schema();
    let places = [
        ("", "/properties"),
        ("defaults", "/$defs/defaults/properties"),
        ("arm", "/$defs/arm/properties"),
        ("sends", "/$defs/step/properties"),
        ("queue", "/$defs/queue/properties"),
        ("mapping", "/$defs/mapping/properties"),
        ("function", "/$defs/function/properties"),
        ("till", "/$defs/till/properties"),
        ("guard_settings", "/$defs/guard_settings/properties"),
        ("budget", "/$defs/budget/properties"),
    ];
    for (place, pointer) in places {
        let properties = schema.pointer(pointer).and_then(Value::as_object);
        let properties = properties.unwrap_or_else(|| panic!("no {pointer}"));
        let mut keys: Vec<String> = properties.keys().cloned().collect();
        keys.sort();
        assert_eq!(keys, known_keys(place), "keys in `{place}`");
    }
}

#[test]
fn it_names_the_values_that_the_parser_takes() {
    let schema = schema();
    let names = |pointer: &str| schema.pointer(pointer).expect("it is there").clone();
    let guards = lab::worker::GuardName::ALL.map(lab::worker::GuardName::name);
    assert_eq!(names("/$defs/guard/enum"), json!(guards));
    let verdicts = lab::verdict::Verdict::ALL.map(lab::verdict::Verdict::name);
    assert_eq!(names("/$defs/verdict/enum"), json!(verdicts));
    let forms = lab::experiment::AnswerForm::ALL.map(lab::experiment::AnswerForm::name);
    assert_eq!(
        names("/$defs/function/properties/answer/enum"),
        json!(forms)
    );
}

#[test]
fn it_refuses_what_the_parser_refuses() {
    let validator = jsonschema::draft202012::new(&schema()).expect("a schema");
    let arm = json!({
        "name": "a", "title": "t", "guard": "claim", "order": "O", "copies": 2, "expect": "PASS",
    });
    let with = |key: &str, value: Value| {
        let mut arm = arm.clone();
        arm[key] = value;
        json!({"title": "t", "learn": "l", "arm": [arm]})
    };
    let good = with("name", json!("b"));
    assert!(validator.is_valid(&good));
    let text = toml::to_string(&good).expect("TOML");
    Scenario::from_toml("x.toml", &text).expect("the parser takes it too");
    for (key, value) in [
        ("gaurd", json!("claim")),
        ("guard", json!("clam")),
        ("expect", json!("pass")),
        ("work", json!("4")),
        ("copies", json!(0)),
        ("faults", json!("crash@claim:after")),
        ("queue", json!({"visibility": "5s"})),
        ("sends", json!([])),
    ] {
        let bad = with(key, value);
        assert!(!validator.is_valid(&bad), "{bad}");
        let text = toml::to_string(&bad).expect("TOML");
        assert!(Scenario::from_toml("x.toml", &text).is_err(), "{text}");
    }
}
