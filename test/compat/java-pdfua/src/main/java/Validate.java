import java.io.FileInputStream;
import org.verapdf.gf.foundry.VeraGreenfieldFoundryProvider;
import org.verapdf.pdfa.Foundries;
import org.verapdf.pdfa.PDFAParser;
import org.verapdf.pdfa.PDFAValidator;
import org.verapdf.pdfa.flavours.PDFAFlavour;
import org.verapdf.pdfa.results.TestAssertion;
import org.verapdf.pdfa.results.ValidationResult;

/** Validates PDFs against PDF/UA-1. */
public class Validate {
  public static void main(String[] files) throws Exception {
    VeraGreenfieldFoundryProvider.initialise();
    boolean compliant = true;
    for (String file : files) {
      try (PDFAParser parser =
              Foundries.defaultInstance().createParser(new FileInputStream(file), PDFAFlavour.PDFUA_1);
          PDFAValidator validator =
              Foundries.defaultInstance().createValidator(PDFAFlavour.PDFUA_1, false)) {
        ValidationResult result = validator.validate(parser);
        System.out.println(file + ": " + result.getTotalAssertions() + " assertions, compliant: " + result.isCompliant());
        for (TestAssertion failed : result.getTestAssertions()) {
          System.out.println(failed.getRuleId() + " " + failed.getMessage());
        }
        compliant &= result.isCompliant();
      }
    }
    System.exit(compliant ? 0 : 1);
  }
}
