package server

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/engine"
	"github.com/procession-dev/procession/events/dispatch"
	"github.com/procession-dev/procession/events/webhook"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/workflows"
)

// delivered is the label of successful attempts.
const delivered = "DELIVERED"

// webhookSender sends webhooks and measures the attempts.
type webhookSender struct {
	client   *webhook.Client
	attempts *prometheus.HistogramVec
}

func newWebhookSender(guard *webhook.Guard, m *metrics) *webhookSender {
	s := &webhookSender{
		client: webhook.NewClient(webhook.ClientConfig{Guard: guard, Clock: time.Now}),
		attempts: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "procession_webhook_attempt_duration_seconds",
			Help:    "Duration of attempts at webhook deliveries, in seconds, by result.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 15},
		}, []string{"result"}),
	}
	m.registry.MustRegister(s.attempts)
	return s
}

// Send implements dispatch.Sender.
func (s *webhookSender) Send(ctx context.Context, d webhook.Delivery) (webhook.Result, error) {
	result, err := s.client.Send(ctx, d)
	if err == nil {
		name := delivered
		if !result.Delivered() {
			name = string(result.Failure)
		}
		s.attempts.WithLabelValues(name).Observe(result.Latency.Seconds())
	}
	return result, err
}

// newDispatcher returns the dispatcher of events to webhooks. Workflows of the service retry failed deliveries.
func (s *Service) newDispatcher(db *persistence.DB, attempts *dispatch.Attempts) *dispatch.Dispatcher {
	return dispatch.New(dispatch.Options{
		DB: db, Clock: time.Now, Wake: s.signals.dispatcher, Logger: s.log, Drain: s.config.DrainTimeout, Attempt: attempts.AttemptDelivery,
		Retry: func(ctx context.Context, d domain.WebhookDelivery) error {
			return s.engine.StartOwned(ctx, engine.OwnedWorkflow{
				ID: workflows.WebhookDeliveryID(d.ID, d.Round), Type: workflows.WebhookDeliveryName,
				Input: workflows.WebhookDeliveryInput{DeliveryID: d.ID, Round: d.Round, NextAt: *d.NextAttemptAt},
			})
		},
	})
}
