import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;

/** What the worker needs of the REST API. */
final class Rest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpClient http = HttpClient.newHttpClient();
  private final String base;
  private final String authorization;

  Rest(String endpoint, String clientId, String clientSecret) {
    base = endpoint + "/v2024-06-14";
    byte[] pair = (clientId + ":" + clientSecret).getBytes(StandardCharsets.UTF_8);
    authorization = "Basic " + Base64.getEncoder().encodeToString(pair);
  }

  JsonNode get(String path) {
    return send(request(path).GET().build());
  }

  JsonNode post(String path, Map<String, ?> body) {
    try {
      String text = JSON.writeValueAsString(body);
      return send(
          request(path)
              .header("Content-Type", "application/json")
              .POST(HttpRequest.BodyPublishers.ofString(text))
              .build());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(base + path)).header("Authorization", authorization);
  }

  private JsonNode send(HttpRequest request) {
    try {
      HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() >= 300) {
        throw new IllegalStateException(
            request.uri() + ": " + answer.statusCode() + " " + answer.body());
      }
      return JSON.readTree(answer.body());
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
