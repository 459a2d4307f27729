import com.fasterxml.jackson.databind.JsonNode;
import io.grpc.Metadata;
import io.temporal.activity.ActivityInterface;
import io.temporal.activity.ActivityMethod;
import io.temporal.activity.ActivityOptions;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowClientOptions;
import io.temporal.serviceclient.SimpleSslContextBuilder;
import io.temporal.serviceclient.WorkflowServiceStubs;
import io.temporal.serviceclient.WorkflowServiceStubsOptions;
import io.temporal.worker.Worker;
import io.temporal.worker.WorkerFactory;
import io.temporal.workflow.SignalMethod;
import io.temporal.workflow.Workflow;
import io.temporal.workflow.WorkflowInterface;
import io.temporal.workflow.WorkflowMethod;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/** The loan of examples/loan, with Temporal's Java SDK of January 2023 and the REST API. */
public final class LoanWorker {
  private static final String QUEUE = "QUEUE_SAMPLE_LOAN";

  @WorkflowInterface
  public interface Loan {
    @WorkflowMethod(name = "SampleEngineWorkerLoanWorkflow")
    Map<String, String> run(Map<String, Object> request);

    @SignalMethod(name = "KuFlow_Engine_Signal_Process_Item")
    void completed(Map<String, Object> signal);
  }

  @ActivityInterface(namePrefix = "Legacy_")
  public interface Items {
    @ActivityMethod
    void create(String process, String item, String code, Map<String, Object> data, String owner);

    @ActivityMethod
    Map<String, String> data(String item);

    @ActivityMethod
    String initiator(String process);
  }

  public static final class LoanImpl implements Loan {
    private static final Map<String, Double> EUROS = Map.of("EUR", 1.0, "USD", 0.92, "GBP", 1.17);

    private final Set<String> done = new HashSet<>();
    private final Items items =
        Workflow.newActivityStub(
            Items.class,
            ActivityOptions.newBuilder().setStartToCloseTimeout(Duration.ofMinutes(1)).build());

    @Override
    public void completed(Map<String, Object> signal) {
      done.add((String) signal.get("id"));
    }

    @Override
    public Map<String, String> run(Map<String, Object> request) {
      String process = (String) request.get("processId");
      Map<String, String> loan = answer(create(process, "LOAN_APPLICATION", null, null));
      double amount = Double.parseDouble(loan.get("AMOUNT")) * EUROS.get(loan.get("CURRENCY"));
      boolean granted = true;
      if (amount > 5000) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("FIRST_NAME", loan.get("FIRST_NAME"));
        data.put("LAST_NAME", loan.get("LAST_NAME"));
        data.put("AMOUNT", amount);
        granted = answer(create(process, "APPROVE_LOAN", data, null)).get("APPROVAL").equals("YES");
      }
      String code = granted ? "NOTIFICATION_GRANTED" : "NOTIFICATION_REJECTION";
      create(process, code, null, items.initiator(process));
      return Map.of("message", code);
    }

    private String create(String process, String code, Map<String, Object> data, String owner) {
      String item = Workflow.randomUUID().toString();
      items.create(process, item, code, data, owner);
      return item;
    }

    private Map<String, String> answer(String item) {
      Workflow.await(() -> done.contains(item));
      return items.data(item);
    }
  }

  public static final class ItemsImpl implements Items {
    private final Rest rest;

    ItemsImpl(Rest rest) {
      this.rest = rest;
    }

    @Override
    public void create(
        String process, String item, String code, Map<String, Object> data, String owner) {
      Map<String, Object> body = new LinkedHashMap<>();
      body.put("id", item);
      body.put("type", "TASK");
      body.put("processId", process);
      body.put("processItemDefinitionCode", code);
      if (owner != null) {
        body.put("ownerId", owner);
      }
      if (data != null) {
        body.put("task", Map.of("data", Map.of("value", data)));
      }
      rest.post("/process-items", body);
    }

    @Override
    public Map<String, String> data(String item) {
      Map<String, String> data = new LinkedHashMap<>();
      JsonNode value = rest.get("/process-items/" + item).at("/task/data/value");
      value.fields().forEachRemaining(f -> data.put(f.getKey(), f.getValue().asText()));
      return data;
    }

    @Override
    public String initiator(String process) {
      return rest.get("/processes/" + process).get("initiatorId").asText();
    }
  }

  public static void main(String[] args) throws Exception {
    Rest rest =
        new Rest(
            System.getenv("COMPAT_ENDPOINT"),
            System.getenv("COMPAT_CLIENT_ID"),
            System.getenv("COMPAT_CLIENT_SECRET"));
    JsonNode granted =
        rest.post("/authentications", Map.of("type", "ENGINE_CERTIFICATE")).get("engineCertificate");
    WorkflowServiceStubs stubs =
        WorkflowServiceStubs.newServiceStubs(
            WorkflowServiceStubsOptions.newBuilder()
                .setTarget(System.getenv("COMPAT_TEMPORAL"))
                .setSslContext(
                    SimpleSslContextBuilder.forPKCS8(
                            pem(granted.at("/tls/clientCertificate")),
                            pem(granted.at("/tls/clientPrivateKey")))
                        .setTrustManager(trusting(granted.at("/tls/serverRootCaCertificate")))
                        .build())
                .addGrpcMetadataProvider(() -> bearer(token(rest)))
                .build());
    WorkflowClient client =
        WorkflowClient.newInstance(
            stubs,
            WorkflowClientOptions.newBuilder()
                .setNamespace(granted.get("namespace").asText())
                .build());
    WorkerFactory factory = WorkerFactory.newInstance(client);
    Worker worker = factory.newWorker(QUEUE);
    worker.registerWorkflowImplementationTypes(LoanImpl.class);
    worker.registerActivitiesImplementations(new ItemsImpl(rest));
    rest.post(
        "/workers",
        Map.of(
            "identity", client.getOptions().getIdentity(),
            "taskQueue", QUEUE,
            "hostname", "localhost",
            "ip", "127.0.0.1",
            "workflowTypes", List.of("SampleEngineWorkerLoanWorkflow"),
            "activityTypes", List.of("Legacy_Create", "Legacy_Data", "Legacy_Initiator")));
    factory.start();
  }

  private static String token;
  private static long tokenAt;

  /** Returns a token that is at most five minutes old. */
  private static synchronized String token(Rest rest) {
    if (token == null || System.nanoTime() - tokenAt > Duration.ofMinutes(5).toNanos()) {
      token =
          rest.post("/authentications", Map.of("type", "ENGINE_TOKEN"))
              .at("/engineToken/token")
              .asText();
      tokenAt = System.nanoTime();
    }
    return token;
  }

  private static Metadata bearer(String token) {
    Metadata metadata = new Metadata();
    metadata.put(
        Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + token);
    return metadata;
  }

  private static InputStream pem(JsonNode text) {
    return new ByteArrayInputStream(text.asText().getBytes(StandardCharsets.UTF_8));
  }

  private static TrustManager trusting(JsonNode root) throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    X509Certificate authority =
        (X509Certificate)
            CertificateFactory.getInstance("X.509").generateCertificate(pem(root));
    store.setCertificateEntry("root", authority);
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    return factory.getTrustManagers()[0];
  }
}
