package restapi

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// defaultWindow is the registration period when the service names none.
const defaultWindow = 300 * time.Second

// CreateWorker is B46: it registers the worker, or renews its registration, under its identity. The result is the
// period after which to register again (header X-KF-DELAY-WINDOW, in seconds; 300 s when it is absent).
func (c *Client) CreateWorker(ctx context.Context, params WorkerCreateParams) (time.Duration, error) {
	got, err := c.do(ctx, call{
		operation: "createWorker", method: http.MethodPost, path: "/workers", mediaType: mediaJSON, in: params,
	})
	if err != nil {
		return 0, err
	}
	seconds, err := strconv.Atoi(got.header.Get("X-KF-DELAY-WINDOW"))
	if err != nil || seconds <= 0 {
		return defaultWindow, nil //nolint:nilerr // an absent or odd header is no failure: the registration stands
	}
	return time.Duration(seconds) * time.Second, nil
}

// CreateEngineToken is B51 with type ENGINE_TOKEN. The second result is the instant the token expires at.
func (c *Client) CreateEngineToken(ctx context.Context) (string, time.Time, error) {
	answer, err := c.createAuthentication(ctx, EngineToken)
	if err != nil {
		return "", time.Time{}, err
	}
	if answer.EngineToken == nil || answer.EngineToken.Token == "" {
		return "", time.Time{}, fmt.Errorf("createAuthentication %s: the answer holds no engineToken", EngineToken)
	}
	expires, err := time.Parse(time.RFC3339, answer.EngineToken.ExpiredAt)
	if err != nil {
		return "", time.Time{}, fmt.Errorf("createAuthentication %s: reading expiredAt: %w", EngineToken, err)
	}
	return answer.EngineToken.Token, expires, nil
}

// CreateEngineCertificate is B51 with type ENGINE_CERTIFICATE.
func (c *Client) CreateEngineCertificate(ctx context.Context) (EngineCertificateGrant, error) {
	answer, err := c.createAuthentication(ctx, EngineCertificate)
	if err != nil {
		return EngineCertificateGrant{}, err
	}
	if answer.EngineCertificate == nil || answer.EngineCertificate.Namespace == "" {
		return EngineCertificateGrant{}, fmt.Errorf("createAuthentication %s: the answer holds no engineCertificate", EngineCertificate)
	}
	return *answer.EngineCertificate, nil
}

func (c *Client) createAuthentication(ctx context.Context, kind string) (Authentication, error) {
	var answer Authentication
	_, err := c.do(ctx, call{
		operation: "createAuthentication " + kind, method: http.MethodPost, path: "/authentications", mediaType: mediaJSON,
		in: map[string]string{"type": kind}, out: &answer,
	})
	return answer, err
}
