class Cart
  def initialize(prices)
    @prices = prices
  end

  def total
    @prices.sum
  end
end
