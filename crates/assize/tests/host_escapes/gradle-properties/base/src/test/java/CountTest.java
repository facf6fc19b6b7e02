import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class CountTest {
    @Test
    public void twiceOneIsTwo() {
        assertEquals(2, Count.twice(1));
    }
}
