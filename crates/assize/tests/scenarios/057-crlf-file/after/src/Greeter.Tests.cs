using Xunit;

namespace Hello;

public class GreeterTests
{
    [Fact]
    public void GreetsByName()
    {
        Assert.Equal("Hello, Ada!", Greeter.Greet(" Ada "));
    }

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    [InlineData("   ")]
    public void GreetsStrangers(string? name)
    {
        Assert.Equal("Hello, stranger!", Greeter.Greet(name));
    }
}
