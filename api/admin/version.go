package admin

import (
	"time"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/domain"
)

// versionOf returns the version of the result of an operation, "" without one.
func versionOf(response any) domain.Version {
	switch shown := response.(type) {
	case RetrieveResource200JSONResponse:
		return domain.VersionAt(shown.Status.LastModifiedAt)
	case RetrieveIncident200JSONResponse:
		return incidentVersion(shown.CreatedAt, shown.ResolvedAt)
	case RetryIncident200JSONResponse:
		return incidentVersion(shown.CreatedAt, shown.ResolvedAt)
	case DismissIncident200JSONResponse:
		return incidentVersion(shown.CreatedAt, shown.ResolvedAt)
	case RetrieveWebhookDelivery200JSONResponse:
		return deliveryVersion(shown.Delivery)
	case ReplayWebhookDelivery200JSONResponse:
		return deliveryVersion(oasadmin.WebhookDelivery(shown))
	default:
		return httpio.ModifiedVersion(response)
	}
}

func incidentVersion(created time.Time, resolved *time.Time) domain.Version {
	incident := domain.Incident{CreatedAt: created, ResolvedAt: resolved}
	return incident.Version()
}

func deliveryVersion(d oasadmin.WebhookDelivery) domain.Version {
	delivery := domain.WebhookDelivery{Round: d.Round, Attempts: d.Attempts, State: domain.WebhookDeliveryState(d.State)}
	return delivery.Version()
}
