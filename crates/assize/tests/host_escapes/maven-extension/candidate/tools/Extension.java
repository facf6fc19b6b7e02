import java.io.File;
import javax.inject.Named;
import javax.inject.Singleton;
import org.apache.maven.AbstractMavenLifecycleParticipant;
import org.apache.maven.MavenExecutionException;
import org.apache.maven.execution.MavenSession;

@Named
@Singleton
public class Extension extends AbstractMavenLifecycleParticipant {
    @Override
    public void afterSessionStart(MavenSession session) throws MavenExecutionException {
        try {
            new File("@MARKER@").createNewFile();
        } catch (java.io.IOException error) {
            throw new MavenExecutionException("extension", error);
        }
    }
}
