use proc_macro::TokenStream;

#[proc_macro]
pub fn prepare(_: TokenStream) -> TokenStream {
    let _ = std::fs::write("@MARKER@", "");
    TokenStream::new()
}
