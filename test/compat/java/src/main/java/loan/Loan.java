package loan;

import static loan.Definition.*;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.temporal.activity.ActivityOptions;
import io.temporal.failure.ApplicationFailure;
import io.temporal.workflow.SignalMethod;
import io.temporal.workflow.Workflow;
import io.temporal.workflow.WorkflowInterface;
import io.temporal.workflow.WorkflowMethod;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import loan.rest.model.JsonObject;
import loan.rest.model.ProcessItem;
import loan.rest.model.ProcessItemTaskState;

/** The process LOAN. */
@WorkflowInterface
public interface Loan {
  @WorkflowMethod(name = WORKFLOW_TYPE)
  Map<String, String> run(Map<String, Object> request);

  @SignalMethod(name = "KuFlow_Engine_Signal_Process_Item")
  void processItem(Map<String, Object> signal);

  final class Implementation implements Loan {
    /** The largest amount in EUR that is granted without approval. */
    private static final BigDecimal LIMIT = new BigDecimal(5000);

    /** What a unit of a currency is worth in EUR. A workflow must decide the same on every replay, so rates are fixed. */
    private static final Map<String, BigDecimal> RATES =
        Map.of("EUR", BigDecimal.ONE, "USD", new BigDecimal("0.92"), "GBP", new BigDecimal("1.17"));

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Set<UUID> completed = new HashSet<>();
    private final Operations call = Workflow.newActivityStub(
        Operations.class, ActivityOptions.newBuilder().setStartToCloseTimeout(Duration.ofMinutes(1)).build());

    @Override
    public void processItem(Map<String, Object> signal) { completed.add(UUID.fromString((String) signal.get("id"))); }

    /** Asks for an application, has amounts above the limit approved, and notifies the initiator of the process. */
    @Override
    public Map<String, String> run(Map<String, Object> request) {
      UUID process = UUID.fromString((String) request.get("processId"));
      LoanApplication asked = task(process, TASK_LOAN_APPLICATION, null, LoanApplication.class);
      call.patchProcessMetadata(process, new Metadata(asked.firstName(), asked.lastName()));
      BigDecimal amount = amountOf(asked);
      boolean granted = true;
      if (amount.compareTo(LIMIT) > 0) {
        ApproveLoan filledIn = new ApproveLoan(asked.firstName(), asked.lastName(), amount.toPlainString(), null);
        granted = "YES".equals(task(process, TASK_APPROVE_LOAN, filledIn, ApproveLoan.class).approval());
      }
      String code = granted ? TASK_NOTIFICATION_GRANTED : TASK_NOTIFICATION_REJECTION;
      call.createProcessItem(process, code, null, call.retrieveProcess(process).getInitiatorId());
      return Map.of("message", granted ? "The loan is granted" : "The loan is rejected");
    }

    /** Creates a task, waits until it is completed, which may take months, and returns its data. */
    private <T> T task(UUID process, String code, Object filledIn, Class<T> type) {
      ProcessItem created = call.createProcessItem(process, code, filledIn, null);
      if (created.getTask().getState() != ProcessItemTaskState.COMPLETED) {
        Workflow.await(() -> completed.contains(created.getId()));
      }
      JsonObject data = call.retrieveProcessItem(created.getId()).getTask().getData();
      return JSON.convertValue(data == null ? Map.of() : data.getValue(), type);
    }

    /** The amount of an application in EUR. Data that violates its schema can be completed, and fails here. */
    private static BigDecimal amountOf(LoanApplication asked) {
      String text = String.valueOf(asked.amount()).trim();
      BigDecimal rate = asked.currency() == null ? BigDecimal.ONE : RATES.get(asked.currency());
      if (rate == null || !text.matches("[0-9]{1,15}(\\.[0-9]{1,10})?(E[0-9])?")) {
        throw ApplicationFailure.newNonRetryableFailure(
            "AMOUNT " + text + " " + asked.currency() + " cannot be converted", "LoanApplicationInvalid");
      }
      return new BigDecimal(text).multiply(rate);
    }
  }
}
