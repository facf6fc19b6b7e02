import { Component } from "react";

export class Clock extends Component<object, { now: Date }> {
  state = { now: new Date() };
  timer?: ReturnType<typeof setInterval>;

  componentDidMount() {
    this.timer = setInterval(() => this.setState({ now: new Date() }), 1000);
  }

  componentWillUnmount() {
    clearInterval(this.timer);
  }

  render() {
    return <time>{this.state.now.toLocaleTimeString()}</time>;
  }
}
