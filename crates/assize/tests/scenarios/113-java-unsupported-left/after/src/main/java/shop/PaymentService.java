package shop;

import java.math.BigDecimal;

/** Charges and refunds customers. */
public final class PaymentService {
    public static final class PaymentException extends RuntimeException {
        PaymentException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    private final Gateway gateway;

    public PaymentService(Gateway gateway) {
        this.gateway = gateway;
    }

    public String charge(String card, BigDecimal amount) {
        if (amount.signum() <= 0) {
            throw new IllegalArgumentException("amount must be positive");
        }
        try {
            return gateway.capture(card, amount);
        } catch (Gateway.GatewayException e) {
            throw new PaymentException("charge failed", e);
        }
    }

    public void refund(String captureId, BigDecimal amount) {
        // TODO partial refunds need the captured amount
        throw new UnsupportedOperationException("refund is not implemented");
    }
}
