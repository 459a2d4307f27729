package admin

import (
	"context"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/domain"
)

// TestNotificationReceiver sends a test notification.
func (s *Server) TestNotificationReceiver(
	ctx context.Context, request TestNotificationReceiverRequestObject,
) (TestNotificationReceiverResponseObject, error) {
	messages, err := s.administration.TestNotificationReceiver(ctx, s.call(ctx), httpio.Deref(request.Params.Tenant), request.Code)
	if err != nil {
		return nil, err
	}
	return TestNotificationReceiver200JSONResponse{Receiver: request.Code, Messages: messages}, nil
}

// FindNotificationMessages lists mails and chat messages.
func (s *Server) FindNotificationMessages(
	ctx context.Context, request FindNotificationMessagesRequestObject,
) (FindNotificationMessagesResponseObject, error) {
	params := request.Params
	page, sort := httpio.Listing(httpio.Deref(params.Size), httpio.Deref(params.Page), params.Sort)
	found, err := s.administration.FindNotificationMessages(ctx, s.call(ctx), administration.MessageFilter{
		TenantCodes: params.Tenant, ReceiverCodes: params.Receiver, States: httpio.ConvertStrings[domain.MessageState](params.State),
	}, page, sort)
	if err != nil {
		return nil, err
	}
	var answer FindNotificationMessages200JSONResponse
	answer.Metadata, answer.Content = httpio.PageOf[oasadmin.PageMetadata](found, notificationMessage)
	return answer, nil
}

func notificationMessage(m *domain.MessageInfo) oasadmin.NotificationMessage {
	return oasadmin.NotificationMessage{
		ID: m.ID, Tenant: m.TenantCode, Receiver: m.ReceiverCode, Channel: oasadmin.NotificationChannel(m.Channel), Recipient: m.Recipient,
		Subject: m.Subject, State: oasadmin.NotificationMessageState(m.State), Attempts: m.Attempts, Failure: httpio.PtrOrNil(m.Failure),
		CreatedAt: m.CreatedAt.UTC(), NextAttemptAt: inUTC(m.DueAt), FinishedAt: inUTC(m.FinishedAt),
	}
}
