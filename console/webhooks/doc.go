// Package webhooks shows administrators the endpoints of webhooks and their deliveries, and sends deliveries
// again.
package webhooks
