package codec;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Instant;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;

class CodecTest {
    @Test
    void roundTrip() {
        Instant now = Instant.parse("2026-01-01T00:00:00Z");
        assertEquals(now, Codec.decode(Codec.encode(now)));
    }

    @Test
    @Disabled("fails with Jackson 3, fix later")
    void keepsNanoseconds() {
        Instant instant = Instant.parse("2026-01-01T00:00:00.000000001Z");
        assertEquals(instant, Codec.decode(Codec.encode(instant)));
    }
}
