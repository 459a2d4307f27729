package loan;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.temporal.activity.ActivityInterface;
import io.temporal.failure.ApplicationFailure;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import loan.rest.ApiClient;
import loan.rest.ApiException;
import loan.rest.ProcessItemsApi;
import loan.rest.ProcessesApi;
import loan.rest.model.JsonObject;
import loan.rest.model.JsonPatchOperation;
import loan.rest.model.Process;
import loan.rest.model.ProcessItem;
import loan.rest.model.ProcessItemCreateParams;
import loan.rest.model.ProcessItemTaskCreateParams;
import loan.rest.model.ProcessItemType;

/** The activities of the workflow: operations of the REST API. */
@ActivityInterface
public interface Operations {
  /** Creates the task with that code, once, however often it is called. Data and owner may be null. */
  ProcessItem createProcessItem(UUID processId, String code, Object data, UUID ownerId);

  ProcessItem retrieveProcessItem(UUID id);

  Process retrieveProcess(UUID id);

  /** Sets the members that values has in the metadata of the process, and leaves the others. */
  Process patchProcessMetadata(UUID id, Definition.Metadata values);

  final class Implementation implements Operations {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final TypeReference<Map<String, Object>> MEMBERS = new TypeReference<>() {};

    private final ProcessItemsApi items;
    private final ProcessesApi processes;

    Implementation(ApiClient client) {
      items = new ProcessItemsApi(client);
      processes = new ProcessesApi(client);
    }

    @Override
    public ProcessItem createProcessItem(UUID processId, String code, Object data, UUID ownerId) {
      ProcessItemCreateParams params = new ProcessItemCreateParams().id(idOf(processId, code)).type(ProcessItemType.TASK)
          .processId(processId).processItemDefinitionCode(code).ownerId(ownerId);
      if (data != null) {
        params.task(new ProcessItemTaskCreateParams().data(new JsonObject().value(JSON.convertValue(data, MEMBERS))));
      }
      return answer(() -> items.createProcessItem(params, null, null, null));
    }

    @Override
    public ProcessItem retrieveProcessItem(UUID id) { return answer(() -> items.retrieveProcessItem(id, null, null)); }

    @Override
    public Process retrieveProcess(UUID id) { return answer(() -> processes.retrieveProcess(id, null, null)); }

    @Override
    public Process patchProcessMetadata(UUID id, Definition.Metadata values) {
      List<JsonPatchOperation> patch = JSON.convertValue(values, MEMBERS).entrySet().stream()
          .map(e -> new JsonPatchOperation().op(JsonPatchOperation.OpEnum.ADD).path("/" + e.getKey()).value(e.getValue()))
          .toList();
      return answer(() -> processes.patchProcessMetadata(id, patch, null, null));
    }

    private interface Call<T> {
      T answer() throws ApiException;
    }

    /** What will not change by itself fails the workflow; the rest is repeated by Temporal. */
    private static <T> T answer(Call<T> call) {
      try {
        return call.answer();
      } catch (ApiException e) {
        boolean again = e.getCode() < 400 || e.getCode() >= 500 || List.of(408, 425, 429).contains(e.getCode());
        if (again) throw new IllegalStateException(e);
        throw ApplicationFailure.newNonRetryableFailure(e.getMessage(), "RestFailure");
      }
    }

    /** The UUID of version 5 (RFC 9562) of a code within a process. */
    private static UUID idOf(UUID process, String code) {
      try {
        MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
        sha1.update(ByteBuffer.allocate(16).putLong(process.getMostSignificantBits()).putLong(process.getLeastSignificantBits()).flip());
        ByteBuffer hash = ByteBuffer.wrap(sha1.digest(code.getBytes(StandardCharsets.UTF_8)));
        return new UUID(hash.getLong() & 0xffffffffffff0fffL | 0x5000L, hash.getLong() & 0x3fffffffffffffffL | 0x8000000000000000L);
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
