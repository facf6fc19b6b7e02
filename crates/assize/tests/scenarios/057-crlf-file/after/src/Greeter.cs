namespace Hello;

public static class Greeter
{
    public static string Greet(string? name)
    {
        var trimmed = name?.Trim();
        return $"Hello, {(string.IsNullOrEmpty(trimmed) ? "stranger" : trimmed)}!";
    }
}
