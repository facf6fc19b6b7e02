require "money"

RSpec.describe Money do
  it "prints English amounts" do
    expect(Money.new(123_450).to_s).to eq("€1,234.50")
  end

  it "prints German amounts" do
    expect(Money.new(123_450).to_s(:de)).to eq("1.234,50 €")
  end

  it "knows no other locale" do
    expect { Money.new(1).to_s(:tlh) }.to raise_error(KeyError)
  end
end
