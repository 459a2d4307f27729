package cloud

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.temporal.io/cloud-sdk/api/cloudservice/v1"
	namespacepb "go.temporal.io/cloud-sdk/api/namespace/v1"
	"go.temporal.io/cloud-sdk/api/operation/v1"
	"go.temporal.io/cloud-sdk/api/resource/v1"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/engine"
)

const day = 24 * time.Hour

// EnsureNamespace creates a namespace, if it is missing, and adds the missing ones of the settings that the service needs: the mode of
// authentication, with the authorities if it is by certificates, and the search attribute. It waits for the operations, and
// returns an error that names the cause. It may be called concurrently, by other replicas too.
func (a *Account) EnsureNamespace(ctx context.Context, namespace string, authorities []authn.TrustedAuthority) error {
	name, ok := strings.CutSuffix(namespace, "."+a.o.Account)
	if !ok {
		return fmt.Errorf("the namespace %s is not in the account %[2]s: its name must end with .%[2]s", namespace, a.o.Account)
	}
	found, err := a.getNamespace(ctx, namespace)
	switch status.Code(err) { //nolint:exhaustive // others are failures
	case codes.OK:
	case codes.NotFound, codes.PermissionDenied:
		if found, err = a.createNamespace(ctx, name, namespace, authorities); err != nil {
			return err
		}
	default:
		return explainError(err, "looking up the namespace %s", namespace)
	}
	if found, err = a.awaitNamespace(ctx, found); err != nil {
		return err
	}
	wanted, ok := proto.Clone(found.GetSpec()).(*namespacepb.NamespaceSpec)
	if !ok || !a.completeSpec(wanted, authorities) {
		return nil
	}
	return a.updateNamespace(ctx, found, wanted)
}

func (a *Account) getNamespace(ctx context.Context, namespace string) (*namespacepb.Namespace, error) {
	answer, err := a.service.GetNamespace(ctx, &cloudservice.GetNamespaceRequest{Namespace: namespace})
	return answer.GetNamespace(), err
}

func (a *Account) createNamespace(
	ctx context.Context, name, namespace string, authorities []authn.TrustedAuthority,
) (*namespacepb.Namespace, error) {
	_, err := a.applyChange(ctx, "creating the namespace "+namespace, "", func(id string) (*operation.AsyncOperation, error) {
		spec := &namespacepb.NamespaceSpec{Name: name, RetentionDays: int32((a.o.Retention + day - 1) / day)} //nolint:gosec // a few days
		for _, region := range a.o.Regions {
			spec.Replicas = append(spec.Replicas, &namespacepb.ReplicaSpec{Region: region})
		}
		a.completeSpec(spec, authorities)
		answer, err := a.service.CreateNamespace(ctx, &cloudservice.CreateNamespaceRequest{Spec: spec, AsyncOperationId: id})
		if err == nil && answer.GetNamespace() != namespace {
			return nil, status.Errorf(codes.InvalidArgument, "Temporal Cloud created the namespace %s instead: correct the account in the settings",
				answer.GetNamespace())
		}
		return answer.GetAsyncOperation(), err
	})
	// Another replica may have created it since it was looked up.
	exists := status.Code(err) == codes.AlreadyExists
	if err != nil && !exists {
		return nil, err
	}
	// Its creator may read a namespace up to a minute later.
	var found *namespacepb.Namespace
	err = pollUntil(ctx, func(ctx context.Context) (bool, error) {
		found, err = a.getNamespace(ctx, namespace)
		if code := status.Code(err); code == codes.NotFound || code == codes.PermissionDenied {
			return false, nil
		}
		return err == nil, explainError(err, "looking up the namespace %s", namespace)
	})
	if exists && errors.Is(err, errPending) {
		return nil, fmt.Errorf("the namespace %s exists, but the API key may not read it: give its owner Namespace Admin of it", namespace)
	}
	return found, err
}

// awaitNamespace waits until a namespace is active.
func (a *Account) awaitNamespace(ctx context.Context, found *namespacepb.Namespace) (*namespacepb.Namespace, error) {
	name := found.GetNamespace()
	err := pollUntil(ctx, func(ctx context.Context) (done bool, err error) {
		switch state := found.GetState(); state { //nolint:exhaustive // all others need Temporal's support
		case resource.ResourceState_RESOURCE_STATE_ACTIVE:
			return true, nil
		case resource.ResourceState_RESOURCE_STATE_ACTIVATING, resource.ResourceState_RESOURCE_STATE_UPDATING:
			found, err = a.getNamespace(ctx, name)
			return false, explainError(err, "waiting for the namespace %s", name)
		default:
			return false, fmt.Errorf("the namespace %s is in the state %s: only the support of Temporal Cloud can help",
				name, strings.TrimPrefix(state.String(), "RESOURCE_STATE_"))
		}
	})
	return found, err
}

// updateNamespace changes the settings of a namespace, unless they were changed since it was read.
func (a *Account) updateNamespace(ctx context.Context, found *namespacepb.Namespace, wanted *namespacepb.NamespaceSpec) error {
	digest := sha256.Sum256(wanted.GetMtlsAuth().GetAcceptedClientCa())
	_, err := a.applyChange(ctx, "updating the namespace "+found.GetNamespace(), found.GetResourceVersion()+hex.EncodeToString(digest[:]),
		func(id string) (*operation.AsyncOperation, error) {
			answer, err := a.service.UpdateNamespace(ctx, &cloudservice.UpdateNamespaceRequest{
				Namespace: found.GetNamespace(), Spec: wanted, ResourceVersion: found.GetResourceVersion(), AsyncOperationId: id,
			})
			return answer.GetAsyncOperation(), err
		})
	return err
}

// completeSpec adds missing settings to a specification and reports whether it changed any. It removes none of other owners.
func (a *Account) completeSpec(spec *namespacepb.NamespaceSpec, authorities []authn.TrustedAuthority) (changed bool) {
	before := proto.Clone(spec)
	if a.o.Certificates {
		if spec.MtlsAuth == nil {
			spec.MtlsAuth = &namespacepb.MtlsAuthSpec{}
		}
		spec.MtlsAuth.Enabled = true
		spec.MtlsAuth.AcceptedClientCa = mergeAuthorities(spec.GetMtlsAuth().GetAcceptedClientCa(), authorities)
	} else {
		spec.ApiKeyAuth = &namespacepb.ApiKeyAuthSpec{Enabled: true}
	}
	if _, ok := spec.GetSearchAttributes()[engine.SearchAttribute]; !ok {
		if spec.SearchAttributes == nil {
			spec.SearchAttributes = map[string]namespacepb.NamespaceSpec_SearchAttributeType{}
		}
		spec.SearchAttributes[engine.SearchAttribute] = namespacepb.NamespaceSpec_SEARCH_ATTRIBUTE_TYPE_INT
	}
	return !proto.Equal(before, spec)
}

// mergeAuthorities returns, in PEM, the accepted authorities of other owners and the trusted ones of the service. Earlier ones of the
// service are removed. Accepted authorities that need no change are returned as they are.
func mergeAuthorities(accepted []byte, trusted []authn.TrustedAuthority) []byte {
	var merged bytes.Buffer
	missing := map[string]bool{}
	for _, authority := range trusted {
		missing[string(authority.Certificate.Raw)] = true
	}
	outdated := false
	for block, rest := pem.Decode(accepted); block != nil; block, rest = pem.Decode(rest) {
		own, err := x509.ParseCertificate(block.Bytes)
		if err == nil && authn.IsAuthority(own) {
			if !missing[string(block.Bytes)] {
				outdated = true
				continue
			}
			delete(missing, string(block.Bytes))
		}
		_ = pem.Encode(&merged, &pem.Block{Type: block.Type, Bytes: block.Bytes})
	}
	if len(missing) == 0 && !outdated {
		return accepted
	}
	for _, authority := range trusted {
		if missing[string(authority.Certificate.Raw)] {
			_ = pem.Encode(&merged, &pem.Block{Type: "CERTIFICATE", Bytes: authority.Certificate.Raw})
		}
	}
	return merged.Bytes()
}

// errUnready is the state of a namespace before the first pass.
var errUnready = errors.New("Temporal Cloud is creating the namespace") //nolint:staticcheck // a name
