class Cart
  SHIPPING = 5

  def initialize(prices)
    @prices = prices
  end

  def total
    @prices.empty? ? 0 : @prices.sum + SHIPPING
  end
end
