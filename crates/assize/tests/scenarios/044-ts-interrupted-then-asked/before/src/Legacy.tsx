import { Component } from "react";

export class Legacy extends Component {
  render() {
    return <p>old</p>;
  }
}
