// An OpenID Connect provider for one client and one account, which signs in everyone without asking. It prints its issuer, and
// changes its settings by POST /control. It runs in the folder of the installed packages.
import { generateKeyPairSync, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { json } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

const installed = createRequire(pathToFileURL(process.cwd() + "/"));
const { default: Provider } = await import(pathToFileURL(installed.resolve("oidc-provider")));

const server = createServer();
server.listen(0, "127.0.0.1");
await once(server, "listening");
const issuer = `http://127.0.0.1:${server.address().port}`;

// Settings: redirects of the client and its secret, the algorithm of ID tokens and their lifetime in seconds, claims of the account,
// inToken for all claims in ID tokens, and deny for a person who does not consent.
let settings = { redirects: [], algorithm: "RS256", lifetime: 300, claims: { sub: "nobody" } };
let keys = [];
let provider, handle;

function newKey(alg) {
  const kinds = { RS256: ["rsa", { modulusLength: 2048 }], PS256: ["rsa", { modulusLength: 2048 }], ES256: ["ec", { namedCurve: "P-256" }], EdDSA: ["ed25519", {}] };
  const { privateKey } = generateKeyPairSync(...kinds[alg]);
  return { ...privateKey.export({ format: "jwk" }), alg, use: "sig", kid: randomUUID() };
}

function apply({ rotate, ...changes }) {
  settings = { ...settings, ...changes };
  if (rotate) keys = keys.filter((key) => key.alg !== settings.algorithm);
  if (!keys.some((key) => key.alg === settings.algorithm)) keys = [newKey(settings.algorithm), ...keys];
  provider = new Provider(issuer, {
    clients: [
      {
        client_id: "console",
        redirect_uris: settings.redirects,
        response_types: ["code"],
        grant_types: ["authorization_code"],
        id_token_signed_response_alg: settings.algorithm,
        ...(settings.secret
          ? { client_secret: settings.secret, token_endpoint_auth_method: "client_secret_basic" }
          : { token_endpoint_auth_method: "none" }),
      },
    ],
    jwks: { keys },
    enabledJWA: { idTokenSigningAlgValues: ["RS256", "PS256", "ES256", "EdDSA"] },
    scopes: ["openid", "email", "profile", "groups"],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"], groups: ["groups"] },
    conformIdTokenClaims: !settings.inToken,
    features: { devInteractions: { enabled: false } },
    findAccount: (_, id) => ({ accountId: id, claims: () => settings.claims }),
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    cookies: { keys: [randomUUID()] },
    ttl: { IdToken: settings.lifetime, AccessToken: 300, AuthorizationCode: 60, Interaction: 60, Session: 60, Grant: 60 },
  });
  provider.on("server_error", (_, error) => console.error(error));
  handle = provider.callback();
}

async function signIn(request, response) {
  const { params } = await provider.interactionDetails(request, response);
  if (settings.deny) {
    return provider.interactionFinished(request, response, { error: "access_denied" });
  }
  const grant = new provider.Grant({ accountId: settings.claims.sub, clientId: params.client_id });
  grant.addOIDCScope(params.scope);
  const grantId = await grant.save();
  return provider.interactionFinished(request, response, { login: { accountId: settings.claims.sub }, consent: { grantId } });
}

server.on("request", async (request, response) => {
  try {
    if (request.url === "/control") {
      apply(await json(request));
      response.end();
    } else if (request.url.startsWith("/interaction/")) {
      await signIn(request, response);
    } else {
      await handle(request, response);
    }
  } catch (error) {
    console.error(error);
    response.writeHead(500).end(String(error));
  }
});
apply({});
console.log(issuer);
