package oidctest

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// Paths of the endpoints of clients.
const (
	AuthorizationPath = "/authorize"
	TokenPath         = "/token"
	DevicePath        = "/device"
	UserInfoPath      = "/userinfo"
)

const (
	tokenLifetime   = 5 * time.Minute
	renewedLifetime = time.Hour
	deviceCode      = "a-device"
	refreshToken    = "a-refresh-token"
	opaqueToken     = "opaque"
)

// flow is the state of sign-ins.
type flow struct {
	clock       func() time.Time
	user        Members
	info        Members
	secret      string
	namesItself bool
	accessType  string
	codes       map[string]grant
	grants      []string
}

// grant is an authorization request, which its code or a device code stands for.
type grant struct{ client, redirect, challenge, nonce string }

// SetClock replaces the clock, which is time.Now.
func (i *Issuer) SetClock(clock func() time.Time) { i.changeFlow(func(f *flow) { f.clock = clock }) }

// SetUser makes the issuer sign in the user with the claims from now on, without asking.
func (i *Issuer) SetUser(claims Members) { i.changeFlow(func(f *flow) { f.user = claims }) }

// SetUserInfo makes the issuer publish a UserInfo endpoint with the claims from now on.
func (i *Issuer) SetUserInfo(claims Members) { i.changeFlow(func(f *flow) { f.info = claims }) }

// RequireSecret makes the token endpoint require a client secret.
func (i *Issuer) RequireSecret(secret string) { i.changeFlow(func(f *flow) { f.secret = secret }) }

// NameItself adds iss to every authorization response and says so in the metadata (RFC 9207).
func (i *Issuer) NameItself() { i.changeFlow(func(f *flow) { f.namesItself = true }) }

// IssueAccessTokens makes access tokens signed tokens with a type; they are opaque by default.
func (i *Issuer) IssueAccessTokens(typ string) { i.changeFlow(func(f *flow) { f.accessType = typ }) }

// Grants returns the grant types for which tokens were issued.
func (i *Issuer) Grants() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.flow.grants)
}

func (i *Issuer) changeFlow(change func(*flow)) {
	i.mu.Lock()
	defer i.mu.Unlock()
	change(&i.flow)
}

func (i *Issuer) issuerMetadata() Members {
	i.mu.Lock()
	defer i.mu.Unlock()
	metadata := Members{
		"issuer": i.URL(), "jwks_uri": i.URL() + KeysPath, "authorization_endpoint": i.URL() + AuthorizationPath,
		"token_endpoint": i.URL() + TokenPath, "device_authorization_endpoint": i.URL() + DevicePath,
		"authorization_response_iss_parameter_supported": i.flow.namesItself,
	}
	if i.flow.info != nil {
		metadata["userinfo_endpoint"] = i.URL() + UserInfoPath
	}
	return metadata
}

// serveUserInfo returns the claims of the user to the holder of an access token.
func (i *Issuer) serveUserInfo(w http.ResponseWriter, r *http.Request) {
	var claims Members
	i.changeFlow(func(f *flow) { claims = f.info })
	if r.Header.Get("Authorization") != "Bearer "+opaqueToken || claims == nil {
		http.Error(w, "no access token", http.StatusUnauthorized)
		return
	}
	writeJSON(w, claims)
}

// serveAuthorize sends the browser back with a code for the user.
func (i *Issuer) serveAuthorize(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	code := rand.Text()
	answer := url.Values{"code": {code}, "state": {query.Get("state")}}
	i.changeFlow(func(f *flow) {
		f.codes[code] = grant{
			client: query.Get("client_id"), redirect: query.Get("redirect_uri"),
			challenge: query.Get("code_challenge"), nonce: query.Get("nonce"),
		}
		if f.namesItself {
			answer.Set("iss", i.URL())
		}
	})
	http.Redirect(w, r, query.Get("redirect_uri")+"?"+answer.Encode(), http.StatusFound) //nolint:gosec // an issuer of tests
}

func (i *Issuer) startDevice() Members {
	return Members{
		"device_code": deviceCode, "user_code": "ABCD-EFGH", "verification_uri": i.URL() + "/enter", "expires_in": 60, "interval": 1,
	}
}

// clientCredentials returns the id and the secret of the client (RFC 6749, section 2.3.1).
func clientCredentials(r *http.Request) (client, secret string) {
	client, secret, basic := r.BasicAuth()
	if !basic {
		return r.Form.Get("client_id"), r.Form.Get("client_secret")
	}
	client, _ = url.QueryUnescape(client)
	secret, _ = url.QueryUnescape(secret)
	return client, secret
}

// serveToken issues tokens for a code, a device code or a refresh token.
func (i *Issuer) serveToken(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	client, secret := clientCredentials(r)
	var answer Members
	i.changeFlow(func(f *flow) {
		request, lasts := grant{client: client}, tokenLifetime
		good := secret == f.secret
		switch grantType := r.Form.Get("grant_type"); grantType {
		case "authorization_code":
			code := r.Form.Get("code")
			proof := sha256.Sum256([]byte(r.Form.Get("code_verifier")))
			request = f.codes[code]
			delete(f.codes, code)
			good = good && request == (grant{
				client: client, redirect: r.Form.Get("redirect_uri"), nonce: request.nonce,
				challenge: base64.RawURLEncoding.EncodeToString(proof[:]),
			})
		case "urn:ietf:params:oauth:grant-type:device_code":
			good = good && r.Form.Get("device_code") == deviceCode
		case "refresh_token":
			good, lasts = good && r.Form.Get("refresh_token") == refreshToken, renewedLifetime
		default:
			good = false
		}
		if good {
			f.grants = append(f.grants, r.Form.Get("grant_type"))
			answer = i.issueTokens(f, request, lasts)
		}
	})
	if answer == nil {
		http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
		return
	}
	writeJSON(w, answer)
}

// issueTokens returns the answer with tokens. The caller holds the lock.
func (i *Issuer) issueTokens(f *flow, request grant, lasts time.Duration) Members {
	now := f.clock()
	claims := Members{"iss": i.URL(), "aud": request.client, "iat": now.Unix(), "exp": now.Add(lasts).Unix(), "auth_time": now.Unix()}
	if request.nonce != "" {
		claims["nonce"] = request.nonce
	}
	maps.Copy(claims, f.user)
	key := i.keys[0]
	access := opaqueToken
	if f.accessType != "" {
		access = key.Sign(key.Header().With(Members{"typ": f.accessType}), claims.Without("nonce"))
	}
	return Members{
		"access_token": access, "token_type": "Bearer", "expires_in": int(lasts.Seconds()), "refresh_token": refreshToken,
		"id_token": key.Token(claims),
	}
}
