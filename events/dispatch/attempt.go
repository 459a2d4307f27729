package dispatch

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/events/webhook"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/webhooks"
)

// Sender makes one attempt at a delivery, as webhook.Client does.
type Sender interface {
	Send(ctx context.Context, d webhook.Delivery) (webhook.Result, error)
}

// Delay returns the delay after a failed attempt, and whether there is another
// attempt, as webhook.NextDelay does.
type Delay func(attempt int, jitter float64, retryAfter time.Duration) (time.Duration, bool)

// AttemptOptions configure Attempts.
type AttemptOptions struct {
	DB *persistence.DB
	// Sealer opens the secrets of subscriptions. Without one every attempt fails.
	Sealer *authn.Sealer
	Sender Sender
	// Delay is webhook.NextDelay by default.
	Delay Delay
	Clock func() time.Time
}

// Attempts makes first attempts for a Dispatcher and retries for workflows, and expires
// deliveries.
type Attempts struct{ o AttemptOptions }

// NewAttempts returns Attempts.
func NewAttempts(o AttemptOptions) *Attempts {
	if o.Delay == nil {
		o.Delay = webhook.NextDelay
	}
	o.DB = o.DB.Background()
	return &Attempts{o: o}
}

// releasedRetryDelay exceeds the time in which a workflow ends after it released a
// delivery.
const releasedRetryDelay = 5 * time.Second

// AttemptDelivery attempts a delivery and returns the outcome and the time of
// the next attempt, without recording them. An error means that no request was sent;
// it does not count against the receiver.
func (a *Attempts) AttemptDelivery(ctx context.Context, due *webhooks.DueDelivery) (domain.WebhookAttempt, error) {
	secrets, err := a.openSecrets(due)
	if err != nil {
		return domain.WebhookAttempt{}, err
	}
	body, rendered, err := webhook.Render(due.PayloadVersion, &due.Event)
	if err != nil {
		return domain.WebhookAttempt{}, err
	}
	if !rendered {
		return domain.WebhookAttempt{}, fmt.Errorf("payload version %s has no %s", due.PayloadVersion, due.Event.Type)
	}
	attempt := domain.WebhookAttempt{
		DeliveryID: due.ID, SubscriptionID: due.SubscriptionID, Round: due.Round, Number: due.Attempts + 1, At: a.o.Clock(),
	}
	result, err := a.o.Sender.Send(ctx, webhook.Delivery{
		URL: due.URL, ID: due.EventID.String(), Body: body, Secrets: secrets,
	})
	if err != nil {
		return domain.WebhookAttempt{}, fmt.Errorf("attempting the webhook delivery %s: %w", due.ID, err)
	}
	attempt.Status, attempt.Latency, attempt.Answer = result.Status, result.Latency, result.Answer
	if result.Delivered() {
		return attempt, nil
	}
	attempt.Failure, attempt.Detail, attempt.Gone = string(result.Failure), result.Detail, result.Gone()
	//nolint:gosec // it spreads attempts over time, and protects nothing
	if delay, again := a.o.Delay(attempt.Number, rand.Float64(), result.RetryAfter); again && !attempt.Gone {
		attempt.NextAt = a.o.Clock().Add(delay)
	}
	return attempt, nil
}

// openSecrets opens the signing secrets of a delivery.
func (a *Attempts) openSecrets(due *webhooks.DueDelivery) ([]webhook.Secret, error) {
	if a.o.Sealer == nil {
		return nil, errors.New("opening webhook secrets: no sealing key is configured")
	}
	secrets := make([]webhook.Secret, 0, len(due.Secrets))
	for _, sealed := range due.Secrets {
		opened, err := a.o.Sealer.Open(webhook.SecretPurpose, sealed.ID.String(), sealed.Sealed)
		if err != nil {
			return nil, fmt.Errorf("opening the webhook secret %s: %w", sealed.ID, err)
		}
		secret, err := webhook.ParseSecret(domain.NewSecret(string(opened)))
		if err != nil {
			return nil, fmt.Errorf("opening the webhook secret %s: %w", sealed.ID, err)
		}
		secrets = append(secrets, secret)
	}
	return secrets, nil
}

// RetriedDelivery contains the number of attempts in the round of a delivery, and the
// time of the next attempt, zero for none.
type RetriedDelivery struct {
	Attempts int
	NextAt   time.Time
}

// RetryDelivery makes attempt number of a round, records it, and returns the state of
// the delivery. It skips an attempt that is recorded already or belongs to an ended
// round. While the endpoint is paused or has no secret, it releases the delivery and
// returns no next attempt.
func (a *Attempts) RetryDelivery(ctx context.Context, id uuid.UUID, round, number int) (RetriedDelivery, error) {
	due, err := webhooks.DueRetry(ctx, a.o.DB.Reader(), webhooks.Round{DeliveryID: id, Number: round}, a.o.Clock())
	if domain.HasCode(err, domain.CodeNotFound) {
		return RetriedDelivery{}, nil
	}
	if err != nil {
		return RetriedDelivery{}, err
	}
	if due.Attempts >= number {
		return RetriedDelivery{Attempts: due.Attempts, NextAt: *due.NextAttemptAt}, nil
	}
	if due.Paused || len(due.Secrets) == 0 {
		return RetriedDelivery{}, webhooks.LetGoOfRetry(ctx, a.o.DB, webhooks.Round{DeliveryID: id, Number: round}, a.o.Clock().Add(releasedRetryDelay))
	}
	attempt, err := a.AttemptDelivery(ctx, due)
	if err != nil {
		return RetriedDelivery{}, err
	}
	if err := webhooks.RecordAttempt(ctx, a.o.DB, attempt); err != nil {
		return RetriedDelivery{}, err
	}
	return RetriedDelivery{Attempts: attempt.Number, NextAt: attempt.NextAt}, nil
}
