package admin

import (
	"time"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/domain"
)

// versionOf returns the version of the result of an operation, "" without one.
func versionOf(response any) domain.Version {
	switch result := response.(type) {
	case RetrieveResource200JSONResponse:
		return domain.VersionAt(result.Status.LastModifiedAt)
	case RetrieveIncident200JSONResponse:
		return incidentVersion(result.CreatedAt, result.ResolvedAt)
	case RetryIncident200JSONResponse:
		return incidentVersion(result.CreatedAt, result.ResolvedAt)
	case DismissIncident200JSONResponse:
		return incidentVersion(result.CreatedAt, result.ResolvedAt)
	case RetrieveWebhookDelivery200JSONResponse:
		return deliveryVersion(result.Delivery)
	case ReplayWebhookDelivery200JSONResponse:
		return deliveryVersion(oasadmin.WebhookDelivery(result))
	case RetrieveBulkOperation200JSONResponse:
		return bulkVersion(oasadmin.BulkOperation(result))
	case StartBulkOperation200JSONResponse:
		return bulkVersion(oasadmin.BulkOperation(result))
	case StopBulkOperation200JSONResponse:
		return bulkVersion(oasadmin.BulkOperation(result))
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

func bulkVersion(b oasadmin.BulkOperation) domain.Version {
	operation := domain.BulkOperation{
		CreatedAt: b.CreatedAt, StartedAt: b.StartedAt, EndedAt: b.EndedAt, Done: b.Done, Refused: b.Refused,
	}
	return operation.Version()
}
