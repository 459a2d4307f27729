package loan;

import io.grpc.Metadata;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowClientOptions;
import io.temporal.serviceclient.SimpleSslContextBuilder;
import io.temporal.serviceclient.WorkflowServiceStubs;
import io.temporal.serviceclient.WorkflowServiceStubsOptions;
import io.temporal.worker.Worker;
import io.temporal.worker.WorkerFactory;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import loan.rest.ApiClient;
import loan.rest.ApiException;
import loan.rest.AuthenticationsApi;
import loan.rest.WorkersApi;
import loan.rest.model.AuthenticationCreateParams;
import loan.rest.model.AuthenticationEngineCertificate;
import loan.rest.model.AuthenticationType;
import loan.rest.model.WorkerCreateParams;

/** Runs the worker until it is stopped. Credentials and addresses come from the environment; see README.md. */
public final class Main {
  private static final ApiClient SERVICE = new ApiClient();
  /** The token that every call of Temporal carries. It lives for an hour. */
  private static volatile String token;

  public static void main(String[] args) throws Exception {
    String pair = variable("CLIENT_ID", "") + ":" + variable("CLIENT_SECRET", "");
    String basic = "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
    SERVICE.updateBaseUri(variable("ENDPOINT", "http://127.0.0.1:8080") + "/v2024-06-14");
    SERVICE.setRequestInterceptor(request -> request.header("Authorization", basic));

    AuthenticationEngineCertificate granted = new AuthenticationsApi(SERVICE).createAuthentication(
        new AuthenticationCreateParams().type(AuthenticationType.ENGINE_CERTIFICATE), null, null).getEngineCertificate();
    WorkflowServiceStubsOptions.Builder options = WorkflowServiceStubsOptions.newBuilder()
        .setTarget(variable("TEMPORAL_ADDRESS", "127.0.0.1:7233")).addGrpcMetadataProvider(Main::bearer);
    // Without TLS, certificates are empty.
    if (!granted.getTls().getClientCertificate().isEmpty()) {
      options.setSslContext(SimpleSslContextBuilder
          .forPKCS8(pem(granted.getTls().getClientCertificate()), pem(granted.getTls().getClientPrivateKey()))
          .setTrustManager(trusting(granted.getTls().getServerRootCaCertificate())).build());
    }
    WorkflowServiceStubs stubs = WorkflowServiceStubs.newServiceStubs(options.build());
    WorkflowClient client = WorkflowClient.newInstance(stubs,
        WorkflowClientOptions.newBuilder().setNamespace(granted.getNamespace()).build());
    String identity = client.getOptions().getIdentity();
    keepAccess(identity);
    Executors.newSingleThreadScheduledExecutor().scheduleWithFixedDelay(() -> {
      try {
        keepAccess(identity);
      } catch (ApiException | RuntimeException e) {
        System.err.println("renewing access: " + e.getMessage());
      }
    }, 60, 60, TimeUnit.SECONDS);
    WorkerFactory factory = WorkerFactory.newInstance(client);
    Worker worker = factory.newWorker(Definition.TASK_QUEUE);
    worker.registerWorkflowImplementationTypes(Loan.Implementation.class);
    worker.registerActivitiesImplementations(new Operations.Implementation(SERVICE));
    Runtime.getRuntime().addShutdownHook(new Thread(factory::shutdown));
    factory.start();
  }

  private static void keepAccess(String identity) throws ApiException {
    token = new AuthenticationsApi(SERVICE).createAuthentication(
        new AuthenticationCreateParams().type(AuthenticationType.ENGINE_TOKEN), null, null).getEngineToken().getToken();
    new WorkersApi(SERVICE).createWorker(new WorkerCreateParams()
        .identity(identity).taskQueue(Definition.TASK_QUEUE).hostname("localhost").ip("127.0.0.1")
        .workflowTypes(List.of(Definition.WORKFLOW_TYPE))
        .activityTypes(List.of("CreateProcessItem", "RetrieveProcessItem", "RetrieveProcess", "PatchProcessMetadata")),
        null, null, null);
  }

  private static Metadata bearer() {
    Metadata metadata = new Metadata();
    metadata.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + token);
    return metadata;
  }

  private static InputStream pem(String text) { return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)); }

  private static TrustManager trusting(String root) throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setCertificateEntry("root", CertificateFactory.getInstance("X.509").generateCertificate(pem(root)));
    TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    return factory.getTrustManagers()[0];
  }

  private static String variable(String name, String otherwise) {
    return Objects.requireNonNullElse(System.getenv("PROCESSION_WORKER_" + name), otherwise);
  }
}
