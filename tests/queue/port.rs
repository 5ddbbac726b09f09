//! The port over one queue.

use std::time::Duration;

use lab::cloud::queue::{QueueConfig, QueueHandle, QueueService};
use lab::ports::{
    BatchFailure, Caller, ErrorKind, Outgoing, Queue, QueueDepth, QueueSettings, ReceiptHandle,
    ReceiveRequest,
};

use crate::clock::{create, elapsed, service};
use crate::support::START;

fn short(max_messages: u8) -> ReceiveRequest {
    ReceiveRequest {
        max_messages,
        wait: Some(Duration::ZERO),
        visibility_timeout: None,
    }
}

fn orders(config: QueueConfig) -> (std::sync::Arc<QueueService>, QueueHandle) {
    let service = service(config, &[]);
    let handle = service.handle("orders").unwrap();
    (service, handle)
}

#[tokio::test(start_paused = true)]
async fn a_message_goes_through_the_port() {
    let (service, queue) = orders(QueueConfig::default());
    let by = Caller::Producer;
    let body = "{\"orderId\":\"ORDER-003\",\"amount\":150.00}";
    let message = Outgoing::new(body);
    let shared = std::sync::Arc::clone(&message.body);
    let sent = queue.send(&by, message).await.unwrap();
    assert_eq!(sent.sequence_number, None);
    let mut found = queue.receive(&Caller::Mapping, short(10)).await.unwrap();
    let received = found.remove(0);
    assert!(
        std::sync::Arc::ptr_eq(&received.body, &shared),
        "the body is shared, not copied"
    );
    assert_eq!(received.message_id, sent.message_id);
    assert_eq!(received.message_id.len(), 36);
    assert_eq!((received.receive_count, received.sent_at), (1, START));
    let depth = queue.depth(&by).await.unwrap();
    assert_eq!(
        depth,
        QueueDepth {
            visible: 0,
            in_flight: 1,
            delayed: 0
        }
    );
    let failures = queue
        .delete_batch(&by, &[received.receipt_handle])
        .await
        .unwrap();
    assert_eq!(failures, []);
    assert_eq!(queue.depth(&by).await.unwrap().total(), 0);
    assert_eq!(elapsed(&service), 0);
}

#[tokio::test(start_paused = true)]
async fn settings_tell_what_a_mapping_must_know() {
    let (service, queue) = orders(QueueConfig::default());
    let by = Caller::Mapping;
    assert_eq!(
        queue.settings(&by).await.unwrap(),
        QueueSettings {
            arn: "arn:aws:sqs:us-east-1:000000000000:orders".to_owned(),
            visibility_timeout: Duration::from_secs(30),
            fifo: false,
        }
    );
    create(
        &service,
        "orders.fifo",
        &[("FifoQueue", "true"), ("VisibilityTimeout", "5")],
    );
    let url = "http://localhost:4566/000000000000/orders.fifo";
    let fifo = service.handle(url).unwrap().settings(&by).await.unwrap();
    assert_eq!(
        (fifo.fifo, fifo.visibility_timeout),
        (true, Duration::from_secs(5))
    );
    assert_eq!(
        service.handle("nowhere").err().unwrap().shape,
        "QueueDoesNotExist"
    );
}

/// Entries of a batch are named by their position.
#[tokio::test(start_paused = true)]
async fn a_batch_fails_entry_by_entry() {
    let (_, queue) = orders(QueueConfig::default());
    let by = Caller::Producer;
    let answers = queue
        .send_batch(&by, vec![Outgoing::new("one"), Outgoing::new("")])
        .await
        .unwrap();
    assert!(answers[0].is_ok());
    assert_eq!(
        answers[1],
        Err(BatchFailure {
            index: 1,
            code: "MissingParameter".to_owned(),
            message: "The request must contain the parameter MessageBody.".to_owned(),
        })
    );
    let found = queue.receive(&by, short(10)).await.unwrap();
    let good = found[0].receipt_handle.clone();
    let garbage = ReceiptHandle("garbage".to_owned());
    let failures = queue
        .delete_batch(&by, &[good.clone(), garbage, good])
        .await
        .unwrap();
    assert_eq!(failures.len(), 1);
    assert_eq!(
        (failures[0].index, failures[0].code.as_str()),
        (1, "ReceiptHandleIsInvalid")
    );
    let empty = queue.send_batch(&by, Vec::new()).await.unwrap_err();
    assert_eq!(
        (empty.operation, empty.code.as_str()),
        (
            "SendMessageBatch",
            "AWS.SimpleQueueService.EmptyBatchRequest"
        )
    );
    let eleven = vec![ReceiptHandle("x".to_owned()); 11];
    let many = queue.delete_batch(&by, &eleven).await.unwrap_err();
    assert_eq!(
        many.code,
        "AWS.SimpleQueueService.TooManyEntriesInBatchRequest"
    );
}

/// SQS counts in whole seconds.
#[tokio::test(start_paused = true)]
async fn parts_of_a_second_are_rounded_up() {
    let (service, queue) = orders(QueueConfig::default());
    let by = Caller::Producer;
    let delay = Some(Duration::from_millis(1_200));
    queue
        .send(
            &by,
            Outgoing {
                delay,
                ..Outgoing::new("one")
            },
        )
        .await
        .unwrap();
    let request = ReceiveRequest {
        max_messages: 1,
        wait: Some(Duration::from_millis(1_900)),
        visibility_timeout: Some(Duration::from_millis(2_001)),
    };
    let found = queue.receive(&by, request).await.unwrap();
    assert_eq!(elapsed(&service), 2_000);
    tokio::time::advance(Duration::from_millis(2_999)).await;
    assert_eq!(queue.depth(&by).await.unwrap().in_flight, 1);
    let handle = &found[0].receipt_handle;
    queue
        .change_visibility(&by, handle, Duration::from_millis(1))
        .await
        .unwrap();
    tokio::time::advance(Duration::from_millis(999)).await;
    assert_eq!(queue.depth(&by).await.unwrap().in_flight, 1);
    tokio::time::advance(Duration::from_millis(1)).await;
    assert_eq!(queue.depth(&by).await.unwrap().visible, 1);
}

/// Refusals carry the code of the query protocol; the quota asks to come back later.
#[tokio::test(start_paused = true)]
async fn errors_name_their_operation_and_kind() {
    let (service, queue) = orders(QueueConfig {
        in_flight_quota: 1,
        ..QueueConfig::default()
    });
    let by = Caller::Mapping;
    queue.send(&by, Outgoing::new("one")).await.unwrap();
    queue.receive(&by, short(1)).await.unwrap();
    let full = queue.receive(&by, short(1)).await.unwrap_err();
    assert_eq!(
        (full.operation, full.kind, full.code.as_str()),
        ("ReceiveMessage", ErrorKind::Throttled, "OverLimit")
    );
    service
        .with(|queues, now, _| queues.delete_queue(now, "orders"))
        .unwrap();
    let gone = queue.send(&by, Outgoing::new("two")).await.unwrap_err();
    assert_eq!(
        (gone.operation, gone.kind),
        ("SendMessage", ErrorKind::Rejected)
    );
    assert_eq!(gone.code, "AWS.SimpleQueueService.NonExistentQueue");
    assert_eq!(gone.message, "The specified queue does not exist.");
}
