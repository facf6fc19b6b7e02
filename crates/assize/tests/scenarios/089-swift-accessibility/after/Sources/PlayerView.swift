import SwiftUI

struct PlayerView: View {
    @State private var playing = false

    var body: some View {
        HStack {
            Button { playing.toggle() } label: { Image(systemName: playing ? "pause" : "play") }
                .accessibilityLabel(playing ? "Pause" : "Play")
                .accessibilityHint("Starts or pauses the playback")
            Button { playing = false } label: { Image(systemName: "stop") }
                .accessibilityLabel("Stop")
                .accessibilityHint("Ends the playback")
        }
    }
}
