package shop;

import java.math.BigDecimal;

public interface Gateway {
    String capture(String card, BigDecimal amount) throws GatewayException;

    void reverse(String captureId, BigDecimal amount) throws GatewayException;

    final class GatewayException extends Exception {}
}
