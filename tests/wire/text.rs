//! Fault rules as text.

use std::num::NonZeroU32;
use std::time::Duration;

use lab::cloud::wire::{Action, CallPoint, FaultRule, Moment, Occurrence, Operation};
use proptest::prelude::*;

use super::bench::rule;

fn nth(number: u32) -> Occurrence {
    Occurrence::Nth(NonZeroU32::new(number).expect("from 1"))
}

#[test]
fn rules_are_read_as_they_are_meant() {
    use Moment::{After, Before};
    use Operation::{
        Charge, DeleteItem, DeleteMessage, GetItem, PutItem, SendMessage, TransactWriteItems,
        UpdateItem,
    };
    let refusal = |code: &str, message: &str| Action::Fail {
        code: code.to_owned(),
        message: message.to_owned(),
    };
    let seconds = |seconds| Action::Delay(Duration::from_secs(seconds));
    let first = Occurrence::FIRST;
    for (text, action, call, moment, occurrence) in [
        ("crash@claim:after", Action::Crash, PutItem, After, first),
        (
            "crash@charge:before#2",
            Action::Crash,
            Charge,
            Before,
            nth(2),
        ),
        ("throttle@claim", Action::Throttle, PutItem, Before, first),
        (
            "lose-answer@claim",
            Action::LoseAnswer,
            PutItem,
            After,
            first,
        ),
        ("no-answer@charge", Action::NoAnswer, Charge, After, first),
        (
            "no-answer@charge:before",
            Action::NoAnswer,
            Charge,
            Before,
            first,
        ),
        ("delay=3s@complete", seconds(3), UpdateItem, Before, first),
        (
            "delay=1h30m@complete:after",
            seconds(5400),
            UpdateItem,
            After,
            first,
        ),
        (
            "fail@complete",
            Action::fail(UpdateItem),
            UpdateItem,
            Before,
            first,
        ),
        (
            "fail=X.Y_1@release#*",
            refusal("X.Y_1", "refused by a fault rule"),
            DeleteItem,
            Before,
            Occurrence::Every,
        ),
        (
            "fail=X: a@b: c@send#7",
            refusal("X", "a@b: c"),
            SendMessage,
            Before,
            nth(7),
        ),
        (
            "delay=1m2s@read#*",
            seconds(62),
            GetItem,
            Before,
            Occurrence::Every,
        ),
        (
            "throttle@transact",
            Action::Throttle,
            TransactWriteItems,
            Before,
            first,
        ),
        (
            "fail@delete",
            Action::fail(DeleteMessage),
            DeleteMessage,
            Before,
            first,
        ),
    ] {
        let read = rule(text);
        let point = CallPoint { call, moment };
        assert_eq!(
            FaultRule::new(action, point, occurrence),
            Ok(read.clone()),
            "{text}"
        );
        assert_eq!(read.to_string(), text);
    }
}

#[test]
fn what_goes_without_saying_is_not_written() {
    for (long, short) in [
        ("crash@claim:after#1", "crash@claim:after"),
        ("throttle@claim:before", "throttle@claim"),
        ("lose-answer@claim:after#1", "lose-answer@claim"),
        ("no-answer@charge:after", "no-answer@charge"),
        ("delay=90s@complete:before", "delay=1m30s@complete"),
        ("delay=1500ms@complete", "delay=1s500ms@complete"),
        ("fail=AccessDeniedException@claim", "fail@claim"),
        (
            "fail=AccessDenied:refused by a fault rule@delete#1",
            "fail@delete",
        ),
        ("fail=X:y@claim", "fail=X: y@claim"),
    ] {
        assert_eq!(rule(long).to_string(), short);
        assert_eq!(rule(short), rule(long));
    }
}

fn refused(text: &str) -> String {
    match text.parse::<FaultRule>() {
        Ok(rule) => panic!("`{text}` was read as {rule:?}"),
        Err(failure) => {
            assert_eq!(failure.exit_code, lab::failure::exit::USAGE);
            failure.to_string()
        }
    }
}

#[test]
fn a_bad_text_is_refused_with_what_to_write_instead() {
    let actions = "known actions: crash, throttle, fail, lose-answer, no-answer, delay";
    let calls = "known calls: read, claim, charge, complete, release, transact, send, receive, \
                 delete, visibility";
    let example = "(hint: write an action and a call, as in `crash@claim:after`, \
                   `throttle@claim#2` or `delay=3s@complete`)";
    let duration = "(hint: write a number with a unit, as in `4s`, `500ms`, `2m` or `1h30m`)";
    let count = "(hint: count from 1, as in `#2`, or write `#*` for every call)";
    let code = "(hint: write letters, digits, `.` and `_`, as in `fail=AccessDenied@delete`)";
    let line = "(hint: write one line, as in `fail=AccessDenied: no permission@delete`)";
    let consumers = "(hint: the consumer can crash at read, claim, charge, complete, release, \
                     transact)";
    for (text, expected) in [
        ("", format!("`` is not a fault\n{example}")),
        ("crash claim", format!("`crash claim` is not a fault\n{example}")),
        ("crush@claim:after", format!("unknown action `crush` in `crush@claim:after`; {actions}\n(hint: did you mean `crash`?)")),
        ("lose_answer@claim", format!("unknown action `lose_answer` in `lose_answer@claim`; {actions}\n(hint: did you mean `lose-answer`?)")),
        ("@claim", format!("unknown action `` in `@claim`; {actions}")),
        ("crash@clam:after", format!("unknown call `clam` in `crash@clam:after`; {calls}\n(hint: did you mean `claim`?)")),
        ("crash@PutItem:after", format!("unknown call `PutItem` in `crash@PutItem:after`; {calls}\n(hint: `PutItem` is the call `claim`)")),
        ("crash@kubernetes:after", format!("unknown call `kubernetes` in `crash@kubernetes:after`; {calls}")),
        ("crash@", format!("unknown call `` in `crash@`; {calls}")),
        ("crash@claim:afer", "unknown moment `afer` in `crash@claim:afer`; known moments: before, after\n(hint: did you mean `after`?)".to_owned()),
        ("crash@claim", "`crash@claim` does not say when\n(hint: write `crash@claim:before` or `crash@claim:after`)".to_owned()),
        ("crash@claim:after#0", format!("`#0` in `crash@claim:after#0` is not the number of a call\n{count}")),
        ("crash@claim:after#+1", format!("`#+1` in `crash@claim:after#+1` is not the number of a call\n{count}")),
        ("crash@claim:after#", format!("`#` in `crash@claim:after#` is not the number of a call\n{count}")),
        ("crash@claim#2:after", "`crash@claim#2:after` does not say when\n(hint: write `crash@claim:before` or `crash@claim:after`)".to_owned()),
        ("throttle@claim#2:before", format!("`#2:before` in `throttle@claim#2:before` is not the number of a call\n{count}")),
        ("crash=1@claim:after", "`crash` takes no value, but `crash=1@claim:after` gives it one\n(hint: write `crash@claim`)".to_owned()),
        ("delay@claim", "`delay@claim` does not say how long\n(hint: write a duration, as in `delay=3s@claim`)".to_owned()),
        ("delay=3@claim", format!("`3` in `delay=3@claim` is not a duration\n{duration}")),
        ("delay=-3s@claim", format!("`-3s` in `delay=-3s@claim` is not a duration\n{duration}")),
        ("delay=0s@claim", "a call cannot be delayed by 0ns: 1ms to 12h, in whole milliseconds".to_owned()),
        ("delay=13h@claim", "a call cannot be delayed by 46800s: 1ms to 12h, in whole milliseconds".to_owned()),
        ("delay=1500us@claim", "a call cannot be delayed by 1.5ms: 1ms to 12h, in whole milliseconds".to_owned()),
        ("fail=@claim", format!("`` is not an error code\n{code}")),
        ("fail=Not A Code@claim", format!("`Not A Code` is not an error code\n{code}")),
        ("fail=X:@claim", format!("`` is not an error message\n{line}")),
        ("fail=X: a\nb@claim", format!("`a\\nb` is not an error message\n{line}")),
        ("crash@delete:after", format!("`crash@delete:after` cannot happen: `delete` is not a call of the consumer\n{consumers}")),
        ("crash@send:before", format!("`crash@send:before` cannot happen: `send` is not a call of the consumer\n{consumers}")),
        ("throttle@claim:after", "`throttle@claim:after` cannot happen: the service turns a call down before it applies it\n(hint: write `throttle@claim`, or `no-answer@claim` for a call that is applied although its caller sees an error)".to_owned()),
        ("fail@charge:after", "`fail@charge:after` cannot happen: the service turns a call down before it applies it\n(hint: write `fail@charge`, or `no-answer@charge` for a call that is applied although its caller sees an error)".to_owned()),
        ("lose-answer@claim:before", "`lose-answer@claim:before` cannot happen: there is no answer yet\n(hint: write `lose-answer@claim`)".to_owned()),
    ] {
        assert_eq!(refused(text), expected);
    }
}

fn any_action() -> impl Strategy<Value = Action> {
    prop_oneof![
        Just(Action::Crash),
        Just(Action::Throttle),
        Just(Action::LoseAnswer),
        Just(Action::NoAnswer),
        (0..=50_000_000_u64).prop_map(|millis| Action::Delay(Duration::from_millis(millis))),
        prop::sample::select(Operation::ALL.as_slice()).prop_map(Action::fail),
        ("[A-Za-z0-9._]{0,4}", "[ -~é]{0,8}")
            .prop_map(|(code, message)| Action::Fail { code, message }),
    ]
}

fn any_occurrence() -> impl Strategy<Value = Occurrence> {
    prop_oneof![
        Just(Occurrence::Every),
        (1..=u32::MAX).prop_map(nth),
        (1..=3_u32).prop_map(nth),
    ]
}

proptest! {
    #[test]
    fn every_rule_is_read_back_from_its_text(
        action in any_action(),
        call in prop::sample::select(Operation::ALL.as_slice()),
        moment in prop::sample::select(Moment::ALL.as_slice()),
        occurrence in any_occurrence(),
    ) {
        if let Ok(rule) = FaultRule::new(action, CallPoint { call, moment }, occurrence) {
            prop_assert_eq!(rule.to_string().parse::<FaultRule>(), Ok(rule));
        }
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "[a-z=@:#*0-9 -]{0,20}|(crash|fail|delay)=?.{0,6}@.{0,12}") {
        if let Ok(rule) = text.parse::<FaultRule>() {
            prop_assert_eq!(rule.to_string().parse::<FaultRule>(), Ok(rule));
        }
    }
}
