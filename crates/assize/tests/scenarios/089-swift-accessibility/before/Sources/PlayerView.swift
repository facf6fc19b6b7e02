import SwiftUI

struct PlayerView: View {
    @State private var playing = false

    var body: some View {
        HStack {
            Button { playing.toggle() } label: { Image(systemName: playing ? "pause" : "play") }
            Button { playing = false } label: { Image(systemName: "stop") }
        }
    }
}
