//! The state as the delivery saw it that set off a stage.

use super::State;
use crate::forge::delivery::Delivery;
use crate::forge::facets::Field;

impl State {
    /// Takes the title and body of the delivery, if the state is of its moment: then they are what they were, whoever changed them since.
    pub fn set_off_by(&mut self, delivery: &Delivery, of_its_moment: bool) {
        if let Some(header) = delivery.header.as_ref().filter(|_| of_its_moment) {
            if header.title != Field::Unknown {
                self.header.title.clone_from(&header.title);
            }
            if header.body != Field::Unknown {
                self.header.body.clone_from(&header.body);
            }
        }
        self.event = Some(delivery.clone());
    }
}
