import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import shape_a.api.PrincipalsApi;
import shape_a.api.TasksApi;
import shape_b.ApiException;
import shape_b.api.ProcessItemsApi;
import shape_b.api.ProcessesApi;
import shape_b.model.JsonPatchOperation;
import shape_b.model.ProcessCreateParams;
import shape_b.model.ProcessItemCreateParams;
import shape_b.model.ProcessItemType;
import shape_b.model.ProcessState;

/** Calls of both API versions by clients that openapi-generator makes of their contracts. */
public class Calls {
  public static void main(String[] arguments) throws Exception {
    String endpoint = System.getenv("COMPAT_ENDPOINT");
    String pair = System.getenv("COMPAT_CLIENT_ID") + ":" + System.getenv("COMPAT_CLIENT_SECRET");
    String credentials = "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));

    var b = new shape_b.ApiClient();
    b.updateBaseUri(endpoint + "/v2024-06-14");
    b.setRequestInterceptor(request -> request.header("Authorization", credentials));
    var processes = new ProcessesApi(b);
    var items = new ProcessItemsApi(b);
    var process = processes.createProcess(new ProcessCreateParams().processDefinitionCode("LOAN"), null, null, null);
    var item = items.createProcessItem(new ProcessItemCreateParams().type(ProcessItemType.TASK).processId(process.getId())
        .processItemDefinitionCode("LOAN_APPLICATION"), null, null, null);
    var page = items.findProcessItems(null, null, null, List.of(process.getId()), null, null, null, null, null, null, null, null, null);
    require("LOAN_APPLICATION", page.getContent().get(0).getProcessItemDefinitionRef().getCode());
    var patch = new JsonPatchOperation().op(JsonPatchOperation.OpEnum.ADD).path("/FIRST_NAME").value("Carol");
    var patched = processes.patchProcessMetadata(process.getId(), List.of(patch), null, null);
    require(Map.of("FIRST_NAME", "Carol"), patched.getMetadata().getValue());
    try {
      processes.createProcess(new ProcessCreateParams(), null, null, null);
      throw new AssertionError("a process without a definition was created");
    } catch (ApiException refused) {
      require(400, refused.getCode());
    }

    var a = new shape_a.ApiClient();
    a.updateBaseUri(endpoint + "/v2022-10-08");
    a.setRequestInterceptor(request -> request.header("Authorization", credentials));
    require(shape_a.model.TaskState.READY, new TasksApi(a).retrieveTask(item.getId(), null, null).getState());
    require("Loan", new shape_a.api.ProcessesApi(a).retrieveProcess(process.getId(), null, null).getProcessDefinition().getName());
    new PrincipalsApi(a).findPrincipals(1, null, null, null, null, null, null);

    require(ProcessState.CANCELLED, processes.cancelProcess(process.getId(), null, null).getState());
  }

  private static void require(Object wanted, Object got) {
    if (!wanted.equals(got)) {
      throw new AssertionError("wanted " + wanted + ", got " + got);
    }
  }
}
