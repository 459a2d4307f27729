import com.google.protobuf.ByteString;
import io.grpc.Metadata;
import io.temporal.activity.ActivityInterface;
import io.temporal.activity.ActivityOptions;
import io.temporal.api.common.v1.Payload;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowClientOptions;
import io.temporal.common.RetryOptions;
import io.temporal.common.converter.CodecDataConverter;
import io.temporal.common.converter.DefaultDataConverter;
import io.temporal.payload.codec.PayloadCodec;
import io.temporal.serviceclient.SimpleSslContextBuilder;
import io.temporal.serviceclient.WorkflowServiceStubs;
import io.temporal.serviceclient.WorkflowServiceStubsOptions;
import io.temporal.worker.WorkerFactory;
import io.temporal.workflow.SignalMethod;
import io.temporal.workflow.Workflow;
import io.temporal.workflow.WorkflowInterface;
import io.temporal.workflow.WorkflowMethod;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.net.ssl.TrustManagerFactory;

/**
 * A worker with seven faults. COMPAT_PHASE is its code: "first", "faulty" or "mended". COMPAT_ACCESS is a directory with the
 * certificates and the token.
 */
public final class Faults {
  private static final boolean FAULTY = "faulty".equals(System.getenv("COMPAT_PHASE"));
  private static final boolean MENDED = "mended".equals(System.getenv("COMPAT_PHASE"));

  @WorkflowInterface
  public interface Loan {
    @WorkflowMethod(name = "SampleEngineWorkerLoanWorkflow")
    void run(Map<String, Object> request);

    @SignalMethod(name = "KuFlow_Engine_Signal_Process_Item")
    void wake(Map<String, Object> signal);
  }

  @ActivityInterface
  public interface Mail {
    void send();
  }

  @ActivityInterface
  public interface Another {
    void another();
  }

  /** The last digit of the workflow id chooses the fault. */
  public static final class LoanImpl implements Loan {
    private boolean woken;

    @Override
    public void wake(Map<String, Object> signal) {
      woken = true;
    }

    @Override
    public void run(Map<String, Object> request) {
      String id = Workflow.getInfo().getWorkflowId();
      char fault = id.charAt(id.length() - 1);
      if (fault == '1' && FAULTY) {
        throw new IllegalArgumentException("no rate for the currency");
      }
      if (fault == '2' && FAULTY) {
        String missing = Map.of("EUR", "1").get("JPY");
        missing.length();
      }
      if (fault == '3' && FAULTY) {
        block();
      }
      if (fault == '5' || fault == '4' && FAULTY) {
        Workflow.newActivityStub(
                Mail.class,
                ActivityOptions.newBuilder()
                    .setStartToCloseTimeout(Duration.ofMinutes(1))
                    .setRetryOptions(
                        RetryOptions.newBuilder()
                            .setInitialInterval(Duration.ofMillis(10))
                            .setBackoffCoefficient(1)
                            .build())
                    .build())
            .send();
      }
      if (fault == '6') {
        Workflow.await(() -> woken);
      }
      Workflow.sleep(Duration.ofHours(1));
    }

    private static void block() {
      try {
        Thread.sleep(60_000);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** Stands for a codec with the right key. */
  private static final class Codec implements PayloadCodec {
    @Override
    public List<Payload> encode(List<Payload> payloads) {
      return payloads;
    }

    @Override
    public List<Payload> decode(List<Payload> payloads) {
      return payloads.stream().map(Codec::decode).collect(Collectors.toList());
    }

    private static Payload decode(Payload payload) {
      if (payload.getMetadataOrThrow("encoding").toStringUtf8().startsWith("json")) {
        return payload;
      }
      return Payload.newBuilder()
          .putMetadata("encoding", ByteString.copyFromUtf8("json/plain"))
          .setData(ByteString.copyFromUtf8("{}"))
          .build();
    }
  }

  public static void main(String[] args) throws Exception {
    Path access = Path.of(System.getenv("COMPAT_ACCESS"));
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null);
    try (InputStream ca = Files.newInputStream(access.resolve("ca.pem"))) {
      store.setCertificateEntry("service", CertificateFactory.getInstance("X.509").generateCertificate(ca));
    }
    TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    Metadata headers = new Metadata();
    headers.put(
        Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER),
        "Bearer " + Files.readString(access.resolve("token")));
    WorkflowServiceStubs stubs;
    try (InputStream certificate = Files.newInputStream(access.resolve("client.pem"));
        InputStream key = Files.newInputStream(access.resolve("client.key"))) {
      stubs =
          WorkflowServiceStubs.newServiceStubs(
              WorkflowServiceStubsOptions.newBuilder()
                  .setTarget(System.getenv("COMPAT_TEMPORAL"))
                  .addGrpcMetadataProvider(() -> headers)
                  .setSslContext(
                      SimpleSslContextBuilder.forPKCS8(certificate, key)
                          .setTrustManager(trust.getTrustManagers()[0])
                          .build())
                  .build());
    }
    WorkflowClientOptions.Builder options = WorkflowClientOptions.newBuilder().setNamespace("demo");
    if (MENDED) {
      options.setDataConverter(new CodecDataConverter(DefaultDataConverter.newDefaultInstance(), List.of(new Codec())));
    }
    WorkerFactory factory = WorkerFactory.newInstance(WorkflowClient.newInstance(stubs, options.build()));
    io.temporal.worker.Worker worker = factory.newWorker("QUEUE_SAMPLE_LOAN");
    worker.registerWorkflowImplementationTypes(LoanImpl.class);
    worker.registerActivitiesImplementations(FAULTY ? (Another) () -> {} : (Mail) () -> {});
    factory.start();
  }
}
